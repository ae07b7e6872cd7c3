// What the explorer takes from the language client, without one.
class Named {
  constructor(method) {
    this.method = method;
  }
}
module.exports = {
  NotificationType: Named,
  RequestType: Named,
  LanguageClient: class {},
  CodeAction: {},
  CloseAction: {},
  CodeActionTriggerKind: {},
  ErrorAction: {},
  ExecuteCommandRequest: {},
  ResponseError: class extends Error {},
  RevealOutputChannelOn: {},
  ShowMessageRequest: {},
  State: {},
};
