import { CallError } from "#web/data/call-error.ts";
import { failureOfCode } from "#web/data/failure.ts";
import { t } from "#web/i18n/translate.ts";

/** Their texts load with these screens, and not with the page. */
const ownProblems = [
  "tool-server-private",
  "tool-server-not-found",
  "too-many-tool-servers",
  "tool-server-needs-sign-in",
  "tool-server-without-sign-in",
  "tool-server-sign-in-moved",
  "tool-server-unreachable",
  "tool-server-failed",
  "tool-server-refused",
] as const;

/** What is wrong with a tool server. */
export function toolServerProblemText(code: string): string {
  const own = ownProblems.find((each) => each === code);
  return own === undefined ? failureOfCode(code).message : t(`toolServerProblem.${own}`);
}

/** The same result. If the call fails, the error has the text of these screens. */
export async function withOwnText<T>(calling: Promise<T>): Promise<T> {
  try {
    return await calling;
  } catch (error) {
    if (!(error instanceof CallError) || !ownProblems.some((own) => own === error.failure.code)) throw error;
    const { code } = error.failure;
    throw new CallError({ ...error.failure, serverMessage: toolServerProblemText(code) }, { cause: error });
  }
}
