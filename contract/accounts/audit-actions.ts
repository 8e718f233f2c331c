/** What the audit log records. */
export const auditActions = [
  "account-created",
  "account-changed",
  "signed-in",
  "password-changed",
  "password-reset",
  "reset-link-created",
  "sessions-ended",
  "join-requested",
  "join-approved",
  "join-denied",
  "role-changed",
  "person-suspended",
  "person-restored",
  "person-deleted",
  "invitation-created",
  "invitation-revoked",
  "sign-in-settings-changed",
  "personal-key-created",
  "personal-key-revoked",
] as const;
export type AuditAction = (typeof auditActions)[number];
