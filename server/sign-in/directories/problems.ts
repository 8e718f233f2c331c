import type { DirectoryProblem } from "#contract/endpoints/directories.ts";
import { ForbiddenAddressError } from "#server/fetch/connect.ts";
import { FilterError } from "./filter.ts";

/** The directory did not do what was asked. `serverText`: what it said. */
export class DirectoryError extends Error {
  override readonly name = "DirectoryError";
  readonly problem: DirectoryProblem;
  readonly serverText: string | null;
  constructor(problem: DirectoryProblem, serverText: string | null, cause?: unknown) {
    super(`the directory cannot be used: ${problem}`, { cause });
    this.problem = problem;
    this.serverText = serverText;
  }
}

type Step = "connect" | "start-tls" | "bind" | "search";

/** Result codes of LDAP (RFC 4511) that say what is wrong. */
const resultProblems: Record<Step, Record<number, DirectoryProblem>> = {
  connect: {},
  "start-tls": {},
  // Confidentiality required, stronger authentication required; invalid credentials, inappropriate authentication, no such
  // object, invalid DN, unwilling.
  bind: {
    8: "not-encrypted",
    13: "not-encrypted",
    32: "bind-refused",
    34: "bind-refused",
    48: "bind-refused",
    49: "bind-refused",
    53: "bind-refused",
  },
  // Operations error is how Active Directory says that the search needs an account.
  search: {
    1: "bind-refused",
    8: "bind-refused",
    32: "base-not-found",
    34: "base-not-found",
    50: "bind-refused",
  },
};

const networkProblems: Record<string, DirectoryProblem> = {
  ENOTFOUND: "host-not-found",
  EAI_AGAIN: "host-not-found",
  ECONNREFUSED: "connection-refused",
  EHOSTUNREACH: "connection-refused",
  ETIMEDOUT: "timeout",
};

export function asDirectoryError(error: unknown, step: Step): DirectoryError {
  if (error instanceof DirectoryError) return error;
  if (error instanceof ForbiddenAddressError) return new DirectoryError("address-not-allowed", null, error);
  if (error instanceof FilterError) return new DirectoryError("filter", error.message, error);
  const { name, message, codes, texts } = chainOf(error);
  const result = codes.find((code) => typeof code === "number");
  if (result !== undefined) {
    const unknown = step === "start-tls" ? "not-encrypted" : "other";
    // The library adds the code, which says nothing to people.
    const said = message.replace(/\s*Code: 0x\w+$/, "");
    return new DirectoryError(resultProblems[step][result] ?? unknown, said === "" ? null : said, error);
  }
  const network = codes.flatMap((code) => networkProblems[String(code)] ?? [])[0];
  if (network !== undefined) return new DirectoryError(network, null, error);
  const all = `${codes.join(" ")} ${texts}`;
  if (/CERT|ALTNAME|UNABLE_TO_|SELF_SIGNED/.test(all))
    return new DirectoryError("certificate", message, error);
  if (name === "TimeoutError" || /time(d )?out|no \w+ in \d+ ms/i.test(all))
    return new DirectoryError("timeout", null, error);
  if (/SSL|TLS|EPROTO/.test(all)) return new DirectoryError("not-encrypted", null, error);
  return new DirectoryError(step === "start-tls" ? "not-encrypted" : "other", message, error);
}

/** An error with the codes and messages of its causes. */
function chainOf(error: unknown) {
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  const codes: unknown[] = [];
  const texts: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    if ("code" in each) codes.push(each.code);
    texts.push(each.message);
  }
  return { name, message, codes, texts: texts.join(" ") };
}
