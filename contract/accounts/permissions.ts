/**
 * What the people of this server may do. The owner is the administrator whom no other administrator can change. Guests
 * have no account. Users of a backend or of a sign-in provider are members.
 */

export const roles = ["owner", "admin", "member", "guest"] as const;
export type Role = (typeof roles)[number];

/** What not everybody may do. */
export const permissions = ["assistants.manage", "models.manage", "people.manage", "usage.read"] as const;
export type Permission = (typeof permissions)[number];

const administration: ReadonlySet<Permission> = new Set(permissions);

const permissionsOf: Record<Role, ReadonlySet<Permission>> = {
  owner: administration,
  admin: administration,
  member: new Set(),
  guest: new Set(),
};

/** Whether people with this role have the permission. */
export function allows(role: Role, permission: Permission): boolean {
  return permissionsOf[role].has(permission);
}
