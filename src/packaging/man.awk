# man.awk - one manual page for the program and one for each command.

# No line is a request, and hyphens can be copied.
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return (text ~ /^[.']/ ? "\\&" : "") text
}

function put_lines(to, text,    line, k, lines, example) {
    sub(/\n+$/, "", text)
    lines = split(text, line, "\n")
    for (k = 1; k <= lines; k++) {
        if ((line[k] ~ /^  /) != example)
            print (example = !example) ? ".EX" : ".EE" > to
        if (line[k] ~ /^== /)
            print ".SH " substr(line[k], 4) > to
        else if (line[k] == "")
            print ".PP" > to
        else
            print roff(example ? substr(line[k], 3) : line[k]) > to
    }
    if (example)
        print ".EE" > to
}

function put_options(to, wanted,    i, last) {
    if (wanted == "none")
        return
    print ".SH OPTIONS" > to
    for (i = 1; i <= n; i++) {
        if (wanted != "all" && !index(", " wanted ",", ", " under[i] ","))
            continue
        if (under[i] != last)
            print ".SS " (last = under[i]) > to
        printf ".TP\n\\fB%s\\-\\-%s\\fR%s\n%s\n", letter[i] == "" ? "" : "\\-" letter[i] ", ",
            roff(long[i]), argument[i] == "" ? "" : " \\fI" roff(argument[i]) "\\fR",
            roff(said[i]) > to
    }
}

function put_exit_status(to,    k, text) {
    for (k = 1; k <= n_prose; k++)
        if (prose[k] ~ /^Exit status: /) {
            text = prose[k]
            sub(/^Exit status: /, "", text)
            gsub(/\n/, " ", text)
            print ".SH EXIT STATUS" > to
            print roff(text) > to
        }
}

function put_synopsis(to, text,    line, k, lines) {
    lines = split(text, line, "\n")
    for (k = 1; k <= lines; k++)
        print (seen_one++ ? ".br\n" : "") roff(line[k]) > to
}

function put_commands(to,    k) {
    print ".SH COMMANDS" > to
    for (k = 1; k <= n_commands; k++)
        printf ".TP\n.BR tracefolio\\-%s (1)\n%s\n", command[k], roff(brief_of_command(command[k])) > to
}

function put_page(name,    whole, full, to, k) {
    whole = name == "tracefolio"
    full = whole ? name : "tracefolio-" name
    to = dir "/" full ".1"
    printf ".TH %s 1 \"\" \"tracefolio %s\" \"User Commands\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n",
        toupper(full), version, roff(full), roff(brief_of_command(name)) > to
    seen_one = 0
    for (k = 1; k <= n_commands; k++)
        if (whole || command[k] == name)
            put_synopsis(to, synopsis[command[k]])
    print ".SH DESCRIPTION" > to
    put_lines(to, name in body ? body[name] : about[name])
    if (whole)
        put_commands(to)
    put_options(to, name in parts ? parts[name] : "General")
    if (name == "help" || whole) {
        print ".SH TOPICS" > to
        for (k = 1; k <= n_topics; k++)
            print (k > 1 ? ".br\n" : "") ".B " roff(topic[k]) > to
    }
    put_exit_status(to)
    put_lines(to, after[name])
    print ".SH SEE ALSO" > to
    for (k = 1; whole && k <= n_commands; k++)
        print ".BR tracefolio\\-" command[k] " (1)" (k < n_commands ? "," : "") > to
    if (!whole)
        print ".BR tracefolio (1)" > to
    close(to)
}

function write_pages(    k) {
    put_page("tracefolio")
    for (k = 1; k <= n_commands; k++)
        put_page(command[k])
}
