# bash completion for plumbline. It reads commands and options from the program's --help.

_plumbline_words() { # [COMMAND [VERB]]: prints its commands or verbs, and its options
	"$@" --help 2>/dev/null | sed -n -e 's/^  \([a-z][a-z-]*\)  .*/\1/p' -e 's/^  \(-[a-z], \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p'
}

_plumbline() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=("${COMP_WORDS[0]}") i
	for ((i = 1; i < COMP_CWORD && i < 3; i++)); do
		# The first option or file ends the list of commands.
		[[ ${COMP_WORDS[i]} =~ ^[a-z][a-z-]*$ ]] || break
		[[ " $(_plumbline_words "${command[@]}" | tr '\n' ' ') " == *" ${COMP_WORDS[i]} "* ]] || break
		command+=("${COMP_WORDS[i]}")
	done
	case $before in
	-c | --config | --policy | --out | --capture) COMPREPLY=() ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$(_plumbline_words "${command[@]}")" -- "$word") ;;
	esac
	if [[ $word != -* && (${#command[@]} -gt 1 || ${#COMPREPLY[@]} -eq 0) ]]; then
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
		compopt -o filenames
	fi
}
complete -F _plumbline plumbline
