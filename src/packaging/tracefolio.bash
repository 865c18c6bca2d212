# bash completion for tracefolio
_tracefolio() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $prev in
    -p | --platform)
        local names
        names=$(tracefolio platforms 2>/dev/null | awk 'NR > 1 { print $1 }')
        mapfile -t COMPREPLY < <(compgen -W "$names none" -- "$cur")
        [ "${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$cur")
        return ;;
    --fail-on)
        mapfile -t COMPREPLY < <(compgen -W 'critical high medium' -- "$cur")
        return ;;
    --annotations)
        mapfile -t COMPREPLY < <(compgen -W 'github gitlab none' -- "$cur")
        return ;;
    --badge)
        mapfile -t COMPREPLY < <(compgen -W 'busy gates' -- "$cur")
        return ;;
    --formats)
        mapfile -t COMPREPLY < <(compgen -W 'site md csv xlsx json png replay cuts' -- "$cur")
        return ;;
    --replay)
        mapfile -t COMPREPLY < <(compgen -W 'auto none' -- "$cur")
        return ;;
    --match)
        mapfile -t COMPREPLY < <(compgen -W 'auto ops tree sequence names' -- "$cur")
        return ;;
    --steps)
        mapfile -t COMPREPLY < <(compgen -W 'paired all' -- "$cur")
        return ;;
    --system-impact)
        mapfile -t COMPREPLY < <(compgen -W 'range none' -- "$cur")
        return ;;
    --fair-style)
        mapfile -t COMPREPLY < <(compgen -W 'standard jarvis' -- "$cur")
        return ;;
    --theme)
        mapfile -t COMPREPLY < <(compgen -W 'default high-contrast mono' -- "$cur")
        return ;;
    -j | --jobs)
        mapfile -t COMPREPLY < <(compgen -W '1 2' -- "$cur")
        return ;;
    --extension)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.lua' -- "$cur")
        return ;;
    help)
        mapfile -t COMPREPLY < <(compgen -W 'patterns softmax_model.lua residual_scale.lua
            replay github.yml gitlab.yml Jenkinsfile waivers.txt' -- "$cur")
        return ;;
    -o | --output | --model | --node | --container | --single-file | --trace | --step-summary | --junit |
    --sarif | --metrics | --email | --waivers | --ref | --cand)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return ;;
    esac
    case $cur in
    -*)
        mapfile -t COMPREPLY < <(compgen -W '--output --platform --model --node --container
            --extension --strict --replay --fail-on --formats --all-pictures --theme --exclude-unlinked
            --include-backlog --detect-recompute --single-file --single-file-limit --embed-replay
            --idle-threshold --system-impact --fair-style --no-markers --emit-analysis-md
            --stamp --ci --step-summary --annotations --junit --junit-findings --sarif --metrics
            --email --badge --waivers --date --run-label --series --report-url --peak-bw-tbs --peak-tflops --memory-gb --trace
            --ref --cand --label-ref --label-cand --steps --match --floor
            --allow-setup --require-gates
            --force --jobs --quiet --verbose --help --version' -- "$cur") ;;
    *)
        [ "$COMP_CWORD" = 1 ] && mapfile -t COMPREPLY < <(compgen -W 'analyze compare platforms
            patterns themes verify help' -- "$cur")
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur") ;;
    esac
}
complete -o filenames -F _tracefolio tracefolio
