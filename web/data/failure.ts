import { errors, isErrorCode } from "#contract/errors.ts";
import { errorSentence, t } from "#web/i18n/translate.ts";
import { CallError, type CallFailure } from "./call-error.ts";

/** What went wrong, as far as a screen needs it. `message` is a sentence for people; `retry`: the same may work later. */
export type Failure = { code: string; message: string; retry: boolean; requestId?: string };

/** Any thrown thing as a failure that can be shown, in the language of the page. */
export function failureOf(error: unknown): Failure {
  return inWords(error instanceof CallError ? error.failure : { code: "unexpected", retry: true });
}

/** A failure that the service names by its code alone, as a reply's status does. */
export function failureOfCode(code: string, said?: string): Failure {
  const retry = !isErrorCode(code) || errors[code].retry === true;
  return inWords({ code, retry, ...(said === undefined ? {} : { said }) });
}

/** A failure in the words of the page's language now, however it was told first. */
export function inWords({ said, ...failure }: CallFailure & { message?: string }): Failure {
  return { ...failure, message: sentenceOf(failure.code, said ?? failure.message) };
}

/** The same of what is kept on this device and goes by itself when the line is back. */
export function inWordsOfKept(failure: CallFailure & { message?: string }): Failure {
  const told = inWords(failure);
  return failure.code === "network" ? { ...told, message: t("failure.networkKept") } : told;
}

/** `said`: what to say of a code that this version does not know. */
function sentenceOf(code: string, said: string | undefined): string {
  switch (code) {
    case "network":
      return t("failure.network");
    case "unreadable-file":
      return t("attach.unreadable");
    case "unexpected":
      return t("failure.unexpected");
    case "unexpected-answer":
      return t("failure.unexpectedAnswer");
    default:
      return errorSentence(code) ?? said ?? errorSentence("internal") ?? t("failure.unexpected");
  }
}
