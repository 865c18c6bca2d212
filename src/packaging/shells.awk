# shells.awk - completions for bash, zsh and fish.

# What may follow an option where its argument in --help (DIR, FILE, a|b) does not tell:
# words, or @platforms, @*.lua.
BEGIN {
    values["platform"] = "@platforms"
    values["extension"] = "@*.lua"
    values["fail-on"] = "critical high medium"
    values["formats"] = "site md csv xlsx json png replay cuts"
    values["replay"] = "auto none"
    values["match"] = "auto ops tree sequence names"
    values["steps"] = "paired all"
    values["theme"] = "default high-contrast mono"
    values["jobs"] = "1 2"
    values["badge"] = "gates busy"
}

function kind_of(i,    text) {
    if (long[i] in values)
        return values[long[i]]
    text = argument[i]
    if (text ~ /^[a-z]+\|[a-z|]+$/) {
        gsub(/\|/, " ", text)
        return text
    }
    return text == "DIR" ? "@dir" : text ~ /^FILE/ ? "@file" : ""
}

# An option of two commands has two texts; the first is enough.
function told_before(i,    k) {
    for (k = 1; k < i; k++)
        if (long[k] == long[i])
            return 1
    return 0
}

function all_commands(    k, text) {
    for (k = 1; k <= n_commands; k++)
        text = text (k > 1 ? " " : "") command[k]
    return text
}

function all_topics(    k, text) {
    for (k = 1; k <= n_topics; k++)
        text = text (k > 1 ? " " : "") topic[k]
    return text
}

# One word inside single quotes.
function quoted(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}

function write_bash(    to, i, kind, names, all, reply) {
    to = dir "/tracefolio.bash"
    print "# bash completion for tracefolio\n_tracefolio_reply() { mapfile -t COMPREPLY < <(compgen \"$@\"); }" > to
    print "_tracefolio() {\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}" > to
    print "    COMPREPLY=()\n    case $prev in" > to
    print "    help) _tracefolio_reply -W " quoted(all_topics()) " -- \"$cur\"; return ;;" > to
    for (i = 1; i <= n; i++) {
        if (told_before(i))
            continue
        all = all " --" long[i]
        if (argument[i] == "")
            continue
        names = (letter[i] == "" ? "" : "-" letter[i] " | ") "--" long[i]
        kind = kind_of(i)
        reply = "_tracefolio_reply -f"
        if (kind == "@platforms")
            reply = "_tracefolio_reply -W \"$(tracefolio platforms 2>/dev/null | awk 'NR > 1 { print $1 }') none\""
        else if (kind == "@*.lua")
            reply = "_tracefolio_reply -f -X '!*.lua'"
        else if (kind == "@dir")
            reply = "_tracefolio_reply -d"
        else if (kind ~ /^[^@]/)
            reply = "_tracefolio_reply -W " quoted(kind)
        print "    " names ") " (kind == "" ? "" : reply " -- \"$cur\"; ") "return ;;" > to
    }
    print "    esac\n    case $cur in\n    -*) _tracefolio_reply -W " quoted(substr(all, 2)) " -- \"$cur\" ;;" > to
    print "    *)\n        [ \"$COMP_CWORD\" = 1 ] && _tracefolio_reply -W " quoted(all_commands()) " -- \"$cur\"" > to
    print "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$cur\") ;;" > to
    print "    esac\n}\ncomplete -o filenames -F _tracefolio tracefolio" > to
    close(to)
}

function write_fish(    to, i, kind, line) {
    to = dir "/tracefolio.fish"
    print "# fish completion for tracefolio" > to
    for (i = 1; i <= n_commands; i++)
        print "complete -c tracefolio -n __fish_use_subcommand -a " command[i] " -d " \
            fish(brief_of_command(command[i])) > to
    print "complete -c tracefolio -n '__fish_seen_subcommand_from help' -f -a " fish(all_topics()) > to
    for (i = 1; i <= n; i++) {
        if (told_before(i))
            continue
        kind = kind_of(i)
        line = "complete -c tracefolio -l " long[i] (letter[i] == "" ? "" : " -s " letter[i])
        if (kind == "@platforms")
            line = line " -x -a \"(tracefolio platforms 2>/dev/null | awk 'NR > 1 { print \\$1 }') none\""
        else if (kind == "@dir")
            line = line " -x -a '(__fish_complete_directories)'"
        else if (kind ~ /^@/)
            line = line " -r"
        else if (kind != "")
            line = line " -x -a " fish(kind)
        else if (argument[i] != "")
            line = line " -x"
        print line " -d " fish(brief_of(said[i])) > to
    }
    close(to)
}

function fish(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/'/, "\\'", text)
    return "'" text "'"
}

# In a spec of _arguments a colon and brackets are its own.
function zsh_text(text) {
    gsub(/[:\\]|\[|\]/, "\\\\&", text)
    return text
}

function zsh_action(i,    kind) {
    kind = kind_of(i)
    if (argument[i] == "")
        return ""
    if (kind == "@platforms")
        return ":device:_tracefolio_platforms"
    if (kind == "@dir")
        return ":folder:_files -/"
    if (kind == "@*.lua")
        return ":file:_files -g \"*.lua\""
    if (kind == "@file")
        return ":file:_files"
    return ":" tolower(zsh_text(argument[i])) ":" (kind == "" ? "" : "(" kind ")")
}

function write_zsh(    to, i, spec) {
    to = dir "/_tracefolio"
    print "#compdef tracefolio\n# zsh completion for tracefolio\n" > to
    print "_tracefolio_platforms() {\n    local -a names" > to
    print "    names=(${(f)\"$(tracefolio platforms 2>/dev/null | awk 'NR > 1 { print $1 }')\"} none)" > to
    print "    compadd -a names\n    _files -g '*.json'\n}\n" > to
    print "_tracefolio_first() {\n    local -a commands\n    commands=(" > to
    for (i = 1; i <= n_commands; i++)
        print "        " quoted(command[i] ":" zsh_text(brief_of_command(command[i]))) > to
    print "    )\n    _describe command commands\n    _files\n}\n" > to
    print "_tracefolio_rest() {\n    if [[ ${words[2]} = help ]]; then\n        compadd " all_topics() > to
    print "    else\n        _files\n    fi\n}\n" > to
    print "_arguments -s \\" > to
    for (i = 1; i <= n; i++) {
        if (told_before(i))
            continue
        spec = "[" zsh_text(brief_of(said[i])) "]" zsh_action(i)
        if (letter[i] != "")
            print "    " quoted("*-" letter[i] spec) " \\" > to
        print "    " quoted("*--" long[i] spec) " \\" > to
    }
    print "    '1: :_tracefolio_first' \\\n    '*: :_tracefolio_rest'" > to
    close(to)
}

function write_shells() {
    write_bash()
    write_fish()
    write_zsh()
}
