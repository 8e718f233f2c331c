import type { Row } from "#storage/database/tables.ts";

type Method = Row<"sessions">["method"];

/** The ways to sign in that need no code: the provider or the proxy has checked the person, or their passkey has. */
const completeMethods: ReadonlySet<Method> = new Set<Method>(["passkey", "provider", "proxy"]);

/** Whether a sign-in with this method needs a code, if the account has a second factor. */
export function needsSecondFactor(method: Method): boolean {
  return !completeMethods.has(method);
}
