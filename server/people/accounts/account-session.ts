import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Visitor } from "#server/lib/route.ts";
import { roleOf } from "./roles.ts";
import type { AccountRow } from "./rows.ts";

/** The browser that sends a request. `address`: the key of limits per network address. */
export type RequestSource = {
  address: string;
  device: string | undefined;
  sessionToken: string | undefined;
  /** Of the browser's cookie, if it was signed in before. */
  browserToken: string | undefined;
};

export function sessionUserOf(account: AccountRow) {
  const { id: userId, kind, workspace_id: workspaceId, workspace_name: workspaceName } = account;
  return { userId, kind, role: roleOf(account), workspaceId, workspaceName };
}

/** The only other unique index of users is that of e-mail addresses. */
export function asEmailTaken(error: unknown): never {
  throw isUniqueViolation(error) ? new AppError("email-taken", { cause: error }) : error;
}

/** Moves everything that a guest has to the account that they sign in to. The rows of both users are locked. */
export type Adopt = (tx: Tx, guest: Visitor, account: Visitor) => Promise<unknown>;
