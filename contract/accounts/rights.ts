import type { GrantedPermission } from "./permissions.ts";

/** What members, guests or the members of a group may use. A list that is null has everything, also what comes later. */
export type Rights = {
  models: string[] | null;
  assistants: string[] | null;
  tools: string[] | null;
  permissions: GrantedPermission[];
};

/** The roles whose rights can be changed: owners and administrators may use everything. */
export const limitedRoles = ["member", "guest"] as const;
export type LimitedRole = (typeof limitedRoles)[number];

/** The rights of roles until an administrator changes them. */
export const defaultRights: Record<LimitedRole, Rights> = {
  member: {
    models: null,
    assistants: null,
    tools: null,
    permissions: ["files.upload", "threads.share", "api-keys.use"],
  },
  guest: { models: null, assistants: null, tools: null, permissions: ["files.upload"] },
};

/** A new group adds nothing to the rights of its members. */
export const noRights: Rights = { models: [], assistants: [], tools: [], permissions: [] };
