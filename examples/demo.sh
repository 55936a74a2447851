#!/bin/sh
# What `make demo` shows: real documents in, cited answers out, no language model. Run it from the project's root.
set -eu

run() {
    printf '\n\033[1m$ polyadic %s\033[0m\n' "$(quoted "$@")"
    polyadic "$@"
}

quoted() {
    for word in "$@"; do
        case $word in
            *" "*) printf '"%s" ' "$word" ;;
            *) printf '%s ' "$word" ;;
        esac
    done
}

in_workspace() {
    printf '\n\033[1m$ export POLYADIC_WORKSPACE=%s\033[0m\n' "$1"
    export POLYADIC_WORKSPACE="$1"
}

in_workspace demo-workspace
run models fetch
run index examples/spaceflight
run query "Which astronaut stayed in the cabin of Shenzhou 7 during the first Chinese spacewalk?"
run query "Which Mercury astronaut landed in 1971 at the place on the Moon where Apollo 13 was meant to land?"
run query "When did Robert Cabana and Sergei Krikalev enter the International Space Station side by side?"

in_workspace demo-ordinary-workspace
run index examples/ordinary
run query "Which flag of shelfctl purge only prints what would be deleted?"
run query "What does the garden shredder cost members per day?"

cat <<'NEXT'

That is all: 16 articles and a table of 12 lives, then the papers of a tool library, each read into a knowledge
hypergraph; no language model was asked. Try next
  . .venv/bin/activate                                       # then polyadic is at hand
  polyadic -w demo-workspace query "..." --trace             # why these facts and passages
  polyadic -w demo-workspace status                          # what the workspace holds
  polyadic -w demo-workspace show entity "Sergei Krikalev"   # everything that is said of one entity
  polyadic -w demo-ordinary-workspace query "..."            # of the tool library; examples/README.md has questions
  polyadic index YOUR/DOCUMENTS && polyadic query "..."      # your own
NEXT
