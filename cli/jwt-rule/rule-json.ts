import type { JwtRule } from "#server/auth/projects/jwt-rules.ts";
import { isoTime } from "../format-date.ts";

/** A rule in JSON output. */
export function ruleJson(rule: JwtRule): object {
  return {
    id: rule.id,
    project_id: rule.projectId,
    issuer: rule.issuer,
    audience: rule.audience ?? null,
    jwks_url: rule.jwksUrl,
    workspace_claim: rule.workspaceClaim ?? null,
    algorithms: rule.algorithms,
    created_at: isoTime(rule.createdAt),
  };
}
