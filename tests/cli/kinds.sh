#!/bin/bash
# What a trace without GPU work is of: each kind is named, ends well, and claims nothing of a GPU.
#
#   tests/cli/kinds.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
tf=$(realpath "$1")/tracefolio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

event() { # CATEGORY NAME PID TID START_US LENGTH_US [ARGS]
    local cat=${1:+"\"cat\":\"$1\","}
    echo "{\"ph\":\"X\",$cat\"name\":\"$2\",\"pid\":$3,\"tid\":$4,\"ts\":$5,\"dur\":$6,\"args\":{${7-}}}"
}
process() { # PID NAME
    echo "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":$1,\"tid\":0,\"args\":{\"name\":\"$2\"}}"
}
trace() { # FILE EVENT...
    local file=$1 IFS=,
    shift
    echo "{\"traceEvents\":[$*]}" >"$file"
}
says() { # TRACE TEXT: in the first line printed, on the first page and in all three reports
    run "$1" && head -n 1 out.txt | grep -qF -- "$2" || { cat out.txt; return 1; }
    sed "s/\xc2\xa0/ /g" site/index.html | grep -qF -- "$2" && grep -qF -- "$2" site/standalone_analysis.md &&
        grep -qF -- "$2" site/standalone_analysis_fair.md && grep -qF -- "$2" site/standalone_analysis_rough.md
}
run() { status 0 "$tf" analyze "$1" -o site --force && mv out out.txt; }
claims_nothing() { # of a GPU, in any report
    ! grep -nE 'No bottleneck meets|meets the criteria|within target|% of peak|no performance model|Flash Attention' \
        site/*.md site/index.html
}

host=("$(event cpu_op aten::mm 9 1 100 50)" "$(event cpu_op aten::addmm 9 1 110 30)" "$(event cpu_op aten::relu 9 1 200 10)")
trace cpu.json "${host[@]}"
check 'a run of the CPU alone is named' says cpu.json 'CPU only: nothing in the 0.110 ms recorded'
check '... with operators by self time, and without what only a GPU has' eval \
    'grep -q "^aten::addmm,1,0.03," site/perf_report_csvs/host_operators.csv &&
        grep -q "aten::addmm (50.0%, 1 call)" out.txt && claims_nothing'
check '... in report.json too' eval \
    'python3 -c "import json; h=json.load(open(\"site/report.json\"))[\"host\"]; assert [o[\"name\"] for o in h[\"operators\"]] == [\"aten::addmm\", \"aten::mm\", \"aten::relu\"], h"'

check '... and no page that has nothing to show' eval \
    'run cpu.json && ! ls site | grep -E "system|recommendations|roofline|kernels|timeline" && ! grep -o "href=.roofline[^ ]*" site/*.html'
trace lost.json "${host[@]}" "$(event cuda_runtime cudaLaunchKernel 9 1 115 5 '"correlation":1')"
check 'launch calls without a kernel are lost kernels' says lost.json 'Kernels are lost: 1 launch call is recorded'
trace stray.json "${host[@]}" "$(event cuda_runtime cudaGetDeviceCount 9 1 115 5)"
check '... and other calls of the runtime are none' says stray.json 'CPU only: '

trace mps.json "$(event cpu_op aten::_mps_convolution 9 1 100 50)"
check 'an Apple GPU is named' says mps.json 'The operators ran on an Apple GPU'
trace compile.json "$(event dynamo_timed entire_frame_compile 9 1 100 50)"
check 'a log of compilation is named' says compile.json 'A log of what torch.compile did'
trace foreign.json "$(event '' paint 9 1 100 50)" "$(process 9 Renderer)"
refused() { # FILE WORDS: no report, one line
    status 3 "$tf" analyze "$1" -o refused && [ ! -e refused ] && [ "$(wc -l <err)" = 1 ] && grep -q "$2" err
}
check 'what no framework writes is named by its process' refused foreign.json 'not a profile of a framework: none of the 2 events of Renderer'
trace neuron.json "$(event '' matmult 9 1 100 50)" "$(process 9 'NeuronCore 0')"
trace rpd.json "$(event '' gemm 2 1 100 50)" "$(process 2 GPU2)"
trace plain.json "$(event '' aten::mm 1 1 100 50)" "$(event '' ProfilerStep#2 1 1 90 80)"
check 'PyTorch without Kineto writes operators without a category' eval 'status 0 "$tf" analyze plain.json -q -o plain && [ -s plain/index.html ]'
check 'what rpd2tracing wrote is better read from its source' refused rpd.json 'name the .rpd file'
check 'a NeuronCore is named' refused neuron.json 'a trace of a Trainium NeuronCore'

task() { event '' "$1" 800 3 "$2" "$3" '"Task Type":"Other","Stream Id":3'; }
trace ascend.json "$(task MatMulV2 100 50)" "$(task MEMCPY_ASYNC 200 10)" "$(process 800 'Ascend Hardware')"
check 'tasks of an Ascend device are device work, and its vendor is named' eval \
    'run ascend.json && grep -q "busy_time,0.06," site/perf_report_csvs/gpu_timeline.csv &&
        grep -q "Ascend NPU" site/standalone_analysis_fair.md && grep -q "Ascend NPU" err'
says_gpu() { # a device of another kind that reports call a GPU: FILES
    grep -rlwE 'GPUs?' "$1" --include=*.html --include=*.md --include=*.svg --include=*.json
}
check '... and is called an NPU in every file, charts and comments of builds too' eval \
    '[ "$(find site -name "*.html" | wc -l)" -ge 8 ] && grep -q "The NPU is" site/charts/wall-time.svg && ! says_gpu site'
trace acl.json "$(event '' AscendCL@aclrtMemcpy 9 1 90 5)" "$(task MatMulV2 100 50)"
check '... and calls of its runtime go by their own names' eval \
    'status 0 "$tf" tree acl.json --find aclrtMemcpy && tail -n 1 out | grep -q " aclrtMemcpy$"'
arrow() { # PHASE ID PID TID AT_US
    echo "{\"ph\":\"$1\",\"cat\":\"HostToDevice\",\"name\":\"HostToDevice$2\",\"id\":\"$2\",\"pid\":$3,\"tid\":$4,\"ts\":$5}"
}
label() { # PID NAME, with the phase last
    echo "{\"name\":\"process_name\",\"pid\":$1,\"tid\":0,\"args\":{\"name\":\"$2\"},\"ph\":\"M\"}"
}
npu() { # FILE CALL: a thread whose calls of the runtime are shown apart, and that launches what a queue holds
    trace "$1" "$(event cpu_op aten::mm 9 1 100 400)" "$(event dequeue Dequeue@X 9 2 100 20)" "$(event dequeue Dequeue@X 9 2 130 900)" \
        "$(event '' AscendCL@aclnnMm 99 2 102 15)" "$(event '' "AscendCL@$2" 99 2 132 890)" "$(task First 110 20)" "$(task Second 1000 30)" \
        "$(arrow s 5 99 2 105)" "$(arrow f 5 800 3 110)" "$(arrow s 6 99 2 990)" "$(arrow f 6 800 3 1000)" \
        "$(label 9 Python)" "$(label 99 CANN)" "$(label 800 'Ascend Hardware')"
}
npu npu_compiles.json aclopCompileAndExecute
check '... arrows from within calls are launches: what the runtime compiles is named' eval \
    'run npu_compiles.json && grep -q "First, use prebuilt kernels" out.txt && grep -q "set_compile_mode" site/standalone_analysis_fair.md &&
        ! grep -qi "call is not recorded\|call is not in the trace" out.txt site/standalone_analysis_fair.md'
named() { ! grep -E '(the|The) GPU' out.txt && ! grep -E '^\*\*(Issue|Action)\*\*.*GPU' site/standalone_analysis.md && grep -q 'the NPU' out.txt && grep -q '^\*\*Issue\*\*.*NPU' site/standalone_analysis.md; }
check '... and sentences of findings and of the verdict say NPU' named
npu npu_runs.json aclnnMm
check '... and a call that compiles nothing is not' eval \
    'run npu_runs.json && ! grep -q "prebuilt" out.txt site/standalone_analysis_fair.md'
trace xpu.json "$(event xpu_runtime zeCommandListAppendLaunchKernel 9 1 90 5 '"correlation":1')" \
    "$(event xpu_kernel gemm_kernel 0 3 100 50 '"correlation":1')" "$(event mtia_ccp_events mtia_op 0 4 200 10)" \
    "$(event privateuse1_memcpy copy 0 5 300 20)"
check 'device events of other vendors are device work' eval \
    'run xpu.json && grep -q "busy_time,0.08," site/perf_report_csvs/gpu_timeline.csv'
trace unknown.json "$(event kernel k 0 7 100 50)" "$(event shiny_device a 0 8 100 50)" "$(event shiny_device b 0 8 200 50)" \
    "$(event '<b>' c 0 8 300 50)" "$(event cuda_sync s 0 8 300 50)"
check 'a category that is not known is counted by its name, and one of no use is not' eval \
    'run unknown.json && grep -q "3 events of a category that is not known are left out: .shiny_device. (2), .<b>. (1)\." site/standalone_analysis.md &&
        ! grep -q "cuda_sync" site/standalone_analysis.md && ! grep -q "<b> (1)" site/checks.html'
check '... and there is no such check where all are known' eval 'run xpu.json && ! grep -q "category that is not known" site/standalone_analysis.md site/report.json'

echo "1..$count"
exit $failed
