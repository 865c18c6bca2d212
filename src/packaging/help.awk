# help.awk - reads templates/help.txt and manual.txt, so that manual pages and completions say what
# --help says. One run with man.awk and shells.awk writes them all:
#
#   awk -v dir=DIR -v version=V -f help.awk -f man.awk -f shells.awk help.txt manual.txt
#
# Commands are command[1..n_commands] with synopsis[] and about[]; options are 1..n with long[],
# letter[], argument[], said[] and under[] (the heading); topic[1..n_topics]; pages are
# page[1..n_pages] with title[], parts[], body[] and after[].

FNR == 1 { file++ }
file == 1 && /^%%/ { part++; next }
file == 1 && !part { read_usage($0); next }
file == 1 && part == 2 { read_options($0); next }
file == 1 || /^#/ { next }
/^%% / {
    name = substr($2, 1, length($2) - 1)
    page[++n_pages] = name
    title[name] = substr($0, length($2) + 5)
    getline parts[name]
    in_after = 0
    next
}
/^== / { in_after = 1 }
in_after { after[name] = after[name] $0 "\n"; next }
{ body[name] = body[name] $0 "\n" }

# "  tracefolio verify FOLDER       check that ..." or a line that goes on with the text.
function read_usage(line) {
    if (line ~ /^  tracefolio [a-z]/) {
        sub(/^  tracefolio /, "", line)
        at = line
        sub(/[ ].*/, "", at)
        if (!(at in synopsis))
            command[++n_commands] = at
        about[at] = match(line, /   */) ? substr(line, RSTART + RLENGTH) : ""
        sub(/   *.*/, "", line)
        synopsis[at] = synopsis[at] (synopsis[at] == "" ? "" : "\n") "tracefolio " line
    } else if (line ~ /^  tracefolio/) {
        at = ""
    } else if (at != "") {
        sub(/^ */, "", line)
        if (line ~ /^\[/) # the synopsis goes on
            synopsis[at] = synopsis[at] " " line
        else if (line != "")
            about[at] = about[at] (about[at] == "" ? "" : " ") line
    }
}

# Headings, options and what they do, and paragraphs about everything.
function read_options(line) {
    if (line == "") {
        heading = "General"
        in_prose = 0
    } else if (in_prose || line ~ /^[^ ].*[.:]/) {
        prose[in_prose ? n_prose : ++n_prose] = in_prose ? prose[n_prose] "\n" line : line
        in_prose = 1
    } else if (line ~ /^[^ ]/) {
        heading = line
        sub(/ .*/, "", heading)
    } else if (line ~ /^  +-/) {
        add_option(line)
    } else {
        sub(/^ */, "", line)
        said[n] = said[n] (said[n] == "" ? "" : " ") line
    }
}

# "-o, --output DIR   folder ...": the argument is in capitals, or a choice a|b.
function add_option(line) {
    sub(/^ */, "", line)
    n++
    under[n] = heading
    letter[n] = line ~ /^-[a-zA-Z],/ ? substr(line, 2, 1) : ""
    sub(/^(-[a-zA-Z], )?--/, "", line)
    match(line, /^[a-z-]+/)
    long[n] = substr(line, 1, RLENGTH)
    line = substr(line, RLENGTH + 1)
    argument[n] = ""
    if (match(line, /^ ([A-Z][A-Z:.,=-]*[.a-z]*|[a-z]+(\|[a-z]+)+)( |$)/)) {
        argument[n] = substr(line, 2, RLENGTH - 1)
        line = substr(line, RLENGTH)
        sub(/ $/, "", argument[n])
    }
    sub(/^ */, "", line)
    said[n] = line
}

# "Help topics: a (what it is), b and c (examples)."
function read_topics(    k, text, word, words) {
    for (k = 1; k <= n_prose; k++)
        if (prose[k] ~ /^Help topics: /)
            text = substr(prose[k], 14)
    gsub(/\n/, " ", text)
    gsub(/\([^)]*\)/, "", text)
    gsub(/ and /, ", ", text)
    sub(/[ .]*$/, "", text)
    words = split(text, word, / *, */)
    for (k = 1; k <= words; k++)
        topic[++n_topics] = word[k]
}

# The first sentence or clause of what an option does, for a menu.
function brief_of(text) {
    sub(/[;:(].*/, "", text)
    sub(/[ ,]+$/, "", text)
    return text
}

function brief_of_command(name,    text) {
    return name in title ? title[name] : brief_of(about[name])
}

END {
    read_topics()
    write_pages()
    write_shells()
}
