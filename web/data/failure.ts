import { isErrorCode, isRetryable } from "#contract/errors.ts";
import { errorSentence, printMoment, t } from "#web/i18n/translate.ts";
import { managesServer } from "./session/manages-server.ts";
import { CallError, type CallFailure } from "./call-error.ts";

/** A failure for the screen. `message` is in the page's language; `retry`: the same request can work later. */
export type Failure = {
  code: string;
  message: string;
  retry: boolean;
  requestId?: string;
  /** Until when the same request fails: an ISO 8601 instant. */
  until?: string;
};

/** Any thrown value as a failure with a message in the page's language. */
export function failureOf(error: unknown): Failure {
  return translateFailure(callFailureOf(error));
}

/** Any thrown value as a failure without a text, for what is kept until it is shown: no language may be loaded yet. */
export function callFailureOf(error: unknown): CallFailure {
  return error instanceof CallError ? error.failure : { code: "unexpected", retry: true };
}

/** The failure for an error code, such as that of a reply's status. */
export function failureOfCode(code: string, serverText?: string): Failure {
  const retry = !isErrorCode(code) || isRetryable(code);
  return translateFailure({
    code,
    retry,
    ...(serverText === undefined ? {} : { serverMessage: serverText }),
  });
}

/** The failure with its message in the page's current language. */
export function translateFailure({
  serverMessage: serverText,
  ...failure
}: CallFailure & { message?: string }): Failure {
  const message =
    failure.code === "budget-used" && failure.until !== undefined
      ? t("failure.budgetUsed", { until: printMoment(new Date(failure.until)) })
      : messageOf(failure.code, serverText ?? failure.message);
  return { ...failure, message };
}

/** Like `translateFailure`, for an entry that is kept on this device and sent when the connection is back. */
export function translateKeptFailure(failure: CallFailure & { message?: string }): Failure {
  const translated = translateFailure(failure);
  return failure.code === "network" ? { ...translated, message: t("failure.networkKept") } : translated;
}

/** `serverText`: the message for a code that this version does not have. */
function messageOf(code: string, serverText: string | undefined): string {
  switch (code) {
    case "network":
      return t("failure.network");
    case "unreadable-file":
      return t("attach.unreadable");
    case "passkey-not-used":
      return t("passkey.notUsed");
    case "passkey-exists":
      return t("passkey.exists");
    case "unexpected":
      return t("failure.unexpected");
    case "unexpected-answer":
      return t("failure.unexpectedAnswer");
    default:
      return (
        errorSentence(code, managesServer.get()) ??
        serverText ??
        errorSentence("internal") ??
        t("failure.unexpected")
      );
  }
}
