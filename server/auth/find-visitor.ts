import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Visitor } from "../lib/route.ts";
import { externalWorkspace } from "./projects/external-workspace.ts";
import * as rows from "./rows.ts";

/** Whom the operator names: a user of ours, or somebody in a workspace of one of the project's own backends. */
export type Named = { userId: string } | { workspace: string; userId: string };

/**
 * Them as a visitor, without a credential; `undefined` where there is no such user or workspace. With `make` a backend's
 * workspace is made where it is not there.
 */
export async function visitorNamed(
  { db, clock }: { db: Database; clock: Clock },
  projectId: string,
  named: Named,
  make: boolean,
): Promise<Visitor | undefined> {
  const isOwn = !("workspace" in named);
  const name = isOwn ? named.userId : named.workspace;
  if (make && !isOwn) await externalWorkspace(db, clock, projectId, name);
  const found = await rows.findWorkspace(db.read, { projectId, realm: isOwn ? "own" : "external", name });
  if (found === undefined) return undefined;
  return {
    userId: named.userId,
    kind: isOwn ? "member" : "external",
    projectId,
    workspaceId: found.id,
    workspaceName: name,
    credentialId: "operator",
  };
}
