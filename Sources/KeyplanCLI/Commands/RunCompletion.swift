/// Completes the words after `run --` as another command and its arguments. The parser's scripts offer nothing there.
enum RunCompletion {
  static func extending(_ script: String, for shell: Completions.Shell) -> String {
    switch shell {
    case .bash: script + "\n" + bash
    case .zsh: script.replacing("\n_keyplan() {\n", with: "\n_keyplan() {\n" + zsh, maxReplacements: 1)
    case .fish: script + "\n" + fish
    }
  }

  private static let bash = #"""
    # The words after `run --`.
    _keyplan_run_command() {
        local -i i
        local IFS=$'\n'
        [[ ${COMP_WORDS[1]} == run ]] || return 1
        for ((i = 2; i < COMP_CWORD; i++)); do
            [[ ${COMP_WORDS[i]} == -- ]] || continue
            if ((i + 1 == COMP_CWORD)) && [[ $2 != */* ]]; then
                COMPREPLY=($(compgen -c -- "$2" | sort -u))
            else
                COMPREPLY=($(compgen -f -- "$2"))
            fi
            return 0
        done
        return 1
    }

    _keyplan_or_run_command() {
        _keyplan_run_command "$@" || _keyplan "$@"
    }

    complete -o filenames -F _keyplan_or_run_command keyplan
    """#

  /// The beginning of the completion function.
  private static let zsh = #"""
        # The words after `run --`.
        local -i run_mark=${words[(i)--]}
        if [[ "${words[2]}" == run ]] && (( run_mark < CURRENT )); then
            shift $run_mark words
            (( CURRENT -= run_mark ))
            _normal
            return
        fi

    """#

  private static let fish = #"""
    # The words after `run --`.
    function __keyplan_is_in_run_command
        set -l words (__keyplan_tokens -pc)
        test "$words[2]" = run; and contains -- -- $words
    end

    function __keyplan_complete_run_command
        set -l words (__keyplan_tokens -pc)
        set -e words[1..(contains -i -- -- $words)]
        complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
    end

    complete -c keyplan -n __keyplan_is_in_run_command -a '(__keyplan_complete_run_command)'
    """#
}
