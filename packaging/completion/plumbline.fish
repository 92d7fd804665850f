# fish completion for plumbline. It reads commands and options from the program's --help.

function __plumbline_path
	set -l words (commandline -opc)
	set -l path $words[1]
	for word in $words[2..3]
		string match -qr '^[a-z][a-z-]*$' -- $word; or break
		$path --help 2>/dev/null | string match -qr "^  $word  "; or break
		set -a path $word
	end
	printf '%s\n' $path
end

function __plumbline_words
	set -l path (__plumbline_path)
	$path --help 2>/dev/null | string replace -fr '^  ([a-z][a-z-]*)  +(.*)' '$1\t$2'
	$path --help 2>/dev/null | string replace -fr '^  (?:-[a-z], )?(--[a-z][a-z-]*)\S*(?: \S+)?(?:  +(.*))?$' '$1\t$2'
end

complete -c plumbline -a '(__plumbline_words)'
