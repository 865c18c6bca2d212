# OUT THREADS: what commands other than analyze, compare and job say of one trace.
trace=../two_gpus/trace.json out=$1
mkdir "$out" || exit 1
says() { # STATUS FILE WORD...
    local want=$1 to=$2
    shift 2
    COLUMNS=100 tracefolio "$@" >"$out/$to" 2>"$out/errors" </dev/null
    [ $? = "$want" ] || { echo "$*"; cat "$out/errors"; return 1; }
    cat "$out/errors" >>"$out/$to" && rm "$out/errors"
}
says 0 find.txt tree $trace --find mm && says 0 find.json tree $trace --find mm --print json &&
    says 0 parents.txt tree $trace --find gelu --parents && says 0 callers.txt tree $trace --find cuda --callers &&
    says 0 subtree.txt tree $trace --find aten::mm --subtree --depth 3 --fields 'Input Dims,registers per thread' &&
    says 0 subtree.json tree $trace --find aten::item --subtree --print json &&
    says 0 host.folded tree $trace --folded host && says 0 device.folded tree $trace --folded device &&
    says 0 device.speedscope tree $trace --speedscope device && says 0 host.speedscope tree $trace --speedscope host &&
    says 0 kernel.txt whatif $trace 'kernel:*sgemm*=0.5' && says 0 several.json whatif $trace 'op:aten::mm=0.5' 'copy:*=0' 'host:aten::item=0' --print json &&
    says 0 collective.txt whatif $trace 'collective:*=0.25' 'host:cudaStreamSync*=0' && says 0 finding.txt whatif $trace finding:S1 -p H100 &&
    says 0 print.txt analyze $trace -p H100 --print && says 0 platforms.txt platforms &&
    tracefolio cut $trace --from 1140 --to 1500 -q -o "$out/few.json" && tracefolio cut $trace --from 1000 --to 3000 --critical-path -q -o "$out/step.json" &&
    printf '# ours\n\nall-reduce=triton_poi_fused_add_1\nnone=nccl\n' >"$out.names" &&
    says 0 names.txt analyze $trace -p none --print --names "$out.names" && rm "$out.names" &&
    says 0 unknown_device.txt analyze ../other_formats/ascend.json.gz --print && says 0 copies.txt analyze ../ops_copies/trace.json --print &&
    says 0 lent.txt analyze ../other_formats/no_shapes.json.gz --capture-trace ../other_formats/execution_trace.json.gz -p H100 --print &&
    says 0 lent_nothing.txt analyze ../other_formats/no_shapes.json.gz --capture-trace ../ops_collective/trace.json -p H100 --print &&
    says 2 one_rank.txt summarize $trace ../ops_copies/trace.json --rank 1 -o "$out.none" && [ ! -e "$out.none" ] && says 3 far.txt cut $trace --from 90000 --to 90001 -o "$out.far" &&
    says 0 summarize.txt summarize $trace -q -o "$out.captures" && gzip -dc "$out.captures"/*.gz >"$out/capture.json"
status=$?
rm -rf "$out.captures" "$out.none"
exit $status
