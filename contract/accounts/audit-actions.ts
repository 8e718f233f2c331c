import { nouns, type FactsOf } from "../facts/nouns.ts";

const accountAndModelActions = [
  "account-created",
  "account-changed",
  "account-deletion-requested",
  "account-deletion-undone",
  "signed-in",
  "sign-ins-slowed",
  "password-changed",
  "password-reset",
  "reset-link-created",
  "sessions-ended",
  "own-sessions-ended",
  "join-requested",
  "join-approved",
  "join-denied",
  "role-changed",
  "person-suspended",
  "person-restored",
  "person-deletion-scheduled",
  "person-deleted",
  "invitation-created",
  "invitation-revoked",
  "group-created",
  "group-changed",
  "group-removed",
  "group-member-added",
  "group-member-removed",
  "access-settings-changed",
  "budget-set",
  "budget-removed",
  "sign-in-settings-changed",
  "audit-retention-changed",
  "model-settings-changed",
  "provider-added",
  "provider-changed",
  "provider-removed",
  "providers-reordered",
  "provider-keys-rotated",
  "model-downloaded",
  "model-deleted",
  "assistant-created",
  "assistant-changed",
  "assistant-removed",
  "assistant-restored",
  "assistants-reordered",
] as const;

const signInAndAppActions = [
  "sign-in-provider-added",
  "sign-in-provider-changed",
  "sign-in-provider-removed",
  "identity-connected",
  "identity-removed",
  "passkey-added",
  "passkey-removed",
  "second-factor-added",
  "second-factor-removed",
  "second-factor-reset",
  "recovery-codes-created",
  "mail-settings-changed",
  "personal-key-created",
  "personal-key-revoked",
  "app-created",
  "app-key-created",
  "app-key-revoked",
  "app-origin-added",
  "app-origin-removed",
  "app-anonymous-tokens-changed",
  "jwt-rule-added",
  "jwt-rule-removed",
  "share-created",
  "share-changed",
  "share-revoked",
  "thread-member-set",
  "thread-member-removed",
  "content-erased",
  "content-exported",
  "everyone-exported",
  "content-imported",
  "backup-made",
  "backup-restored",
] as const;

export type AuditAction =
  | (typeof accountAndModelActions)[number]
  | FactsOf<"auditActions">[number]
  | (typeof signInAndAppActions)[number];

/**
 * What the audit log says that somebody did. In the browser's bundle `scripts/vite/constant-module.ts` replaces this module by
 * its value.
 */
export const auditActions: readonly AuditAction[] = [
  ...accountAndModelActions,
  ...nouns.flatMap((noun) => noun.auditActions),
  ...signInAndAppActions,
];
