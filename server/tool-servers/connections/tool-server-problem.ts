import type { ErrorCode } from "#contract/errors.ts";
import { ForbiddenAddressError, UnreachableError } from "#server/fetch/connect.ts";
import { FloodError } from "./bound-response.ts";
import { plainText } from "#server/tools/results/bound-result.ts";

/** Why a tool server cannot be used now. `detail`: what it said, cleaned and short. */
export class ToolServerProblem extends Error {
  override readonly name = "ToolServerProblem";
  readonly code: Extract<ErrorCode, `tool-server-${string}`>;
  readonly detail: string | undefined;
  /** The scopes that the server wants besides, if it refused a call for lack of them. */
  readonly scope: string | undefined;
  constructor(
    code: ToolServerProblem["code"],
    {
      detail,
      scope,
      cause,
    }: { detail?: string | undefined; scope?: string | undefined; cause?: unknown } = {},
  ) {
    super(detail ?? code, { cause });
    this.code = code;
    this.detail = detail;
    this.scope = scope;
  }
}

const detailCharacters = 300;

/** Without control characters and terminal sequences, on one line. */
export function cleanDetail(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ").trim().slice(0, detailCharacters);
}

/**
 * The problem behind an error of the SDK or of the connection. For servers that must be on the public internet, one in the
 * operator's network looks like one that does not exist, so that nobody can explore that network.
 */
export function problemOf(error: unknown): ToolServerProblem {
  const chain = [...causesOf(error)];
  const known = chain.find((each) => each instanceof ToolServerProblem);
  if (known !== undefined) return known;
  const cause = error;
  const flood = chain.find((each) => each instanceof FloodError);
  if (flood !== undefined)
    return new ToolServerProblem("tool-server-failed", { detail: flood.message, cause });
  if (chain.some((each) => each instanceof ForbiddenAddressError || each instanceof UnreachableError))
    return new ToolServerProblem("tool-server-unreachable", { cause });
  const scoped = chain.find(({ name }) => name === "InsufficientScopeError");
  if (scoped !== undefined) {
    const { requiredScope: scope } = scoped as { requiredScope?: string };
    return new ToolServerProblem("tool-server-needs-sign-in", { scope, cause });
  }
  const statuses = chain.map(statusOf);
  if (chain.some(({ name }) => name === "UnauthorizedError") || statuses.includes(401))
    return new ToolServerProblem("tool-server-needs-sign-in", { cause });
  if (statuses.includes(403)) return new ToolServerProblem("tool-server-refused", { cause });
  // Without its page and the SDK's error, which quotes it: some repeat the headers that they got, with the keys.
  const status = statuses.find((each): each is number => typeof each === "number" && each >= 400);
  if (status !== undefined)
    return new ToolServerProblem("tool-server-failed", { detail: `It answered with status ${status}.` });
  const [first] = chain;
  const codes = chain.map((each) => String((each as { code?: unknown }).code));
  if (codes.some((code) => /^(?:E[A-Z]+|REQUEST_TIMEOUT|CONNECTION_CLOSED|ERR_.*)$/.test(code)))
    return new ToolServerProblem("tool-server-unreachable", {
      detail: cleanDetail(first?.message ?? ""),
      cause,
    });
  return new ToolServerProblem("tool-server-failed", { detail: cleanDetail(first?.message ?? ""), cause });
}

function statusOf(error: Error): unknown {
  const { code, data } = error as { code?: unknown; data?: { status?: unknown } };
  return data?.status ?? code;
}

function* causesOf(error: unknown): Generator<Error> {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++)
    yield each;
}
