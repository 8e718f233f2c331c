import type { JwtRule } from "#server/auth/projects/jwt-rules.ts";
import { instant } from "../format-date.ts";

/** A rule as programs read it. */
export function ruleJson(rule: JwtRule): object {
  return {
    id: rule.id,
    project_id: rule.projectId,
    issuer: rule.issuer,
    audience: rule.audience ?? null,
    jwks_url: rule.jwksUrl,
    workspace_claim: rule.workspaceClaim ?? null,
    algorithms: rule.algorithms,
    created_at: instant(rule.createdAt),
  };
}
