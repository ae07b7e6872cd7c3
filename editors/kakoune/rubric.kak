# For kakoune-lsp 17 or later: source this file in your kakrc, after kakoune-lsp.

hook global BufCreate .*\.eval\.ya?ml %{
    set-option buffer filetype eval-yaml
}

hook -group lsp-filetype-eval-yaml global BufSetOption filetype=eval-yaml %{
    set-option buffer lsp_language_id eval-yaml
    set-option buffer lsp_servers %{
        [rubric-lsp]
        root_globs = [".agentv", ".git"]
        args = ["--stdio"]
    }
}

hook global WinSetOption filetype=eval-yaml %{
    require-module yaml
    add-highlighter window/eval-yaml ref yaml
    lsp-enable-window
    lsp-inlay-hints-enable window
    hook -once -always window WinSetOption filetype=.* %{
        remove-highlighter window/eval-yaml
        lsp-disable-window
    }
}
