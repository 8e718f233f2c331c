import type { AuditAction } from "./audit-actions.ts";

/** Why something writes no entry to the audit log. */
export const notAudited = {
  "own-content": "it is about what people write and keep for themselves",
  "own-session": "it begins, extends or ends the caller's own session",
  "one-step": "a later step of the same action writes the entry",
  "no-change": "it changes no account and no setting",
  maintenance: "it keeps the data in order and changes nothing that people have set",
} as const;

/**
 * What a success writes to the audit log: this entry, one or more of these, these only in some cases, or none and why.
 */
export type AuditRule =
  | AuditAction
  | readonly AuditAction[]
  | { when: string; writes: readonly AuditAction[] }
  | { none: keyof typeof notAudited };

/** The actions that a success may write. */
export function actionsOf(rule: AuditRule): readonly AuditAction[] {
  if (typeof rule === "string") return [rule];
  if ("none" in rule) return [];
  return "writes" in rule ? rule.writes : rule;
}

/** The rule as a sentence of the API reference. */
export function auditText(rule: AuditRule): string {
  if (typeof rule === "object" && "none" in rule)
    return `Writes nothing to the audit log: ${notAudited[rule.none]}.`;
  const actions = actionsOf(rule).map((action) => `\`${action}\``);
  const when = typeof rule === "object" && "when" in rule ? `, ${rule.when}` : "";
  return `Writes ${actions.join(" or ")} to the audit log${when}.`;
}
