import type { Visitor } from "../lib/route.ts";

/** The workspace that a call is limited to. A thread of another workspace counts as not found. */
export type ThreadScope = Pick<Visitor, "appId" | "workspaceId" | "memberAccess"> & { userId?: string };
