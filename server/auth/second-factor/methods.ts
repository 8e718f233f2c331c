import type { Row } from "#storage/database/tables.ts";

type Method = Row<"sessions">["method"];

/** The provider or the proxy has checked who it is, and passkeys verify their person: nobody who uses them is asked for a code. */
const completeMethods: ReadonlySet<Method> = new Set<Method>(["passkey", "provider", "proxy"]);

/** Whether a sign-in with this method needs a code, if the account has a second factor. */
export function needsSecondFactor(method: Method): boolean {
  return !completeMethods.has(method);
}
