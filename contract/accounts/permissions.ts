/**
 * The roles of the people of a server. Administrators cannot change the owner. Guests have no account. Users of a backend
 * or of a sign-in provider are members.
 */

export const roles = ["owner", "admin", "member", "guest"] as const;
export type Role = (typeof roles)[number];

/** What only some people may do. */
export const permissions = [
  "api-keys.use",
  "assistants.manage",
  "backups.manage",
  "files.upload",
  "mail.manage",
  "models.manage",
  "models.restrict",
  "people.manage",
  "apps.manage",
  "server.inspect",
  "sharing.restrict",
  "threads.invite",
  "threads.share",
  "tool-servers.add",
  "usage.read",
] as const;
export type Permission = (typeof permissions)[number];

/** Those that administrators grant to members, guests and groups. Administrators and owners always have them. */
export const grantedPermissions = [
  "files.upload",
  "threads.share",
  "api-keys.use",
  "tool-servers.add",
] as const;
export type GrantedPermission = (typeof grantedPermissions)[number];

/** Members do not have these until an administrator says so. */
const notForMembers: ReadonlySet<Permission> = new Set(["tool-servers.add"]);

export function isGranted(permission: Permission): permission is GrantedPermission {
  return grantedPermissions.some((granted) => granted === permission);
}

/**
 * Limiting everyone to local models, sending e-mail through some server, backups with all secrets, and links at all are the
 * owner's decisions.
 */
const onlyForOwners: ReadonlySet<Permission> = new Set([
  "models.restrict",
  "mail.manage",
  "backups.manage",
  "sharing.restrict",
]);

const permissionsOf: Record<Role, ReadonlySet<Permission>> = {
  owner: new Set(permissions),
  admin: new Set(permissions.filter((permission) => !onlyForOwners.has(permission))),
  member: new Set([
    ...grantedPermissions.filter((permission) => !notForMembers.has(permission)),
    "threads.invite",
  ]),
  guest: new Set(["files.upload"]),
};

/** Sharing inside the server needs the right to share too, but does not depend on whether links work. */
export function grantOf(permission: Permission): GrantedPermission | undefined {
  if (permission === "threads.invite") return "threads.share";
  return isGranted(permission) ? permission : undefined;
}

/** The default permissions of a role, before the rights of members and guests were changed. */
export function allows(role: Role, permission: Permission): boolean {
  return permissionsOf[role].has(permission);
}
