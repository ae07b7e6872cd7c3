// The protocol as it is, and of the language client, which needs a VS Code, as much as the explorer's modules name when they load.
module.exports = {
  ...require('vscode-languageserver-protocol/node'),
  LanguageClient: class {},
  CloseAction: {},
  ErrorAction: {},
  RevealOutputChannelOn: {},
  State: {},
};
