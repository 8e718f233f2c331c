import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Visitor } from "../lib/route.ts";
import { findOrCreateWorkspace } from "./find-or-create-workspace.ts";
import type { Row } from "#storage/database/tables.ts";
import * as rows from "#server/people/users/rows.ts";

/** A person on the command line: a user of this service, or a user in a workspace of the app's own backend. */
export type VisitorName = { userId: string } | { workspace: string; userId: string };

/**
 * The visitor with this name, without a credential; `undefined` if there is no such user or workspace. With `create`, a
 * missing workspace of a backend is created.
 */
export async function findVisitorByName(
  { db, clock }: { db: Database; clock: Clock },
  appId: string,
  visitorName: VisitorName,
  create: boolean,
): Promise<Visitor | undefined> {
  const isOwn = !("workspace" in visitorName);
  const name = isOwn ? visitorName.userId : visitorName.workspace;
  if (create && !isOwn) await findOrCreateWorkspace(db, clock, appId, name);
  const found = await rows.findWorkspace(db.read, { appId, realm: isOwn ? "own" : "external", name });
  return found === undefined ? undefined : operatorVisitor(found, visitorName.userId);
}

/** The operator, who acts for the user of a workspace. */
export function operatorVisitor(
  { id, app_id: appId, realm, name }: Pick<Row<"workspaces">, "id" | "app_id" | "realm" | "name">,
  userId = realm === "own" ? name : systemUserId,
): Visitor {
  return {
    userId,
    kind: realm === "own" ? "member" : "external",
    role: "member",
    appId,
    workspaceId: id,
    workspaceName: name,
    credentialId: "operator",
  };
}

/** The user of requests with an API key that name no user. */
export const systemUserId = "__SYSTEM__";
