use zed_extension_api::{self as zed, settings::LspSettings};

/// How the server is installed: what works today. Written by tests/release/addresses.py.
const SOURCE: &str = "PATH (of rubric's repository, or of the wheel of a release)";

struct Rubric;

impl zed::Extension for Rubric {
    fn new() -> Self {
        Rubric
    }

    /// The server that `lsp.rubric.binary` of the settings names, else the one on the PATH.
    fn language_server_command(
        &mut self,
        _server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        let binary = LspSettings::for_worktree("rubric", worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let named = binary.as_ref().and_then(|binary| binary.path.clone());
        let command = named
            .or_else(|| worktree.which("rubric-lsp"))
            .ok_or_else(|| format!("rubric-lsp was not found: pipx install {SOURCE}"))?;
        let args = binary
            .and_then(|binary| binary.arguments)
            .unwrap_or_else(|| vec!["--stdio".into()]);
        Ok(zed::Command {
            command,
            args,
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Rubric);
