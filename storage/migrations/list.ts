import type { Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { initial } from "./0001-initial/initial.ts";
import { textSizes } from "./0002-text-sizes/text-sizes.ts";
import { modelProviders } from "./0003-model-providers/model-providers.ts";
import { packedContent } from "./0004-packed-content.ts";
import { denseSearch } from "./0005-dense-search.ts";
import { reasoning } from "./0006-reasoning.ts";
import { modelRequests } from "./0007-model-requests.ts";
import { accounts } from "./0008-accounts.ts";
import { comparisons } from "./0009-comparisons.ts";
import { requestContents } from "./0010-request-contents.ts";
import { localOnly } from "./0011-local-only.ts";
import { summaries } from "./0012-summaries.ts";
import { personalKeys } from "./0013-personal-keys.ts";
import { modelSettings } from "./0014-model-settings.ts";
import { pinnedMessages } from "./0015-pinned-messages.ts";
import { signInProviders } from "./0016-sign-in-providers.ts";
import { shares } from "./0017-shares.ts";
import { auditRetention } from "./0018-audit-retention.ts";
import { publicOnly } from "./0019-public-only.ts";
import { passkeys } from "./0020-passkeys.ts";
import { secondFactors } from "./0022-second-factors.ts";
import { personalInstructions } from "./0023-personal-instructions.ts";
import { mail } from "./0024-mail.ts";
import { proxyIdentities } from "./0025-proxy-identities.ts";
import { accountDeletion } from "./0026-account-deletion.ts";
import { groups } from "./0027-groups.ts";
import { passkeyHosts } from "./0028-passkey-hosts.ts";
import { budgets } from "./0029-budgets.ts";
import { threadMembers } from "./0030-thread-members.ts";
import { consoleAndDirectories } from "./0031-console-and-directories.ts";
import { failedAttempts } from "./0032-failed-attempts.ts";
import { sharedBranches } from "./0033-shared-branches.ts";
import { prompts } from "./0034-prompts.ts";
import { profiles } from "./0038-profiles.ts";
import { labels } from "./0039-labels.ts";
import { usageIndex } from "./0040-usage-index.ts";
import { temporaryThreads } from "./0041-temporary-threads.ts";
import { searchChanges } from "./0042-search-changes.ts";
import { useOfGuests } from "./0043-use-of-guests.ts";
import { finalDeletions } from "./0044-final-deletions.ts";
import { auditDays } from "./0045-audit-days.ts";
import { threadPanels } from "./0046-thread-panels.ts";
import { indexOfRunningRuns } from "./0047-index-of-running-runs.ts";
import { renderedMessages } from "./0048-rendered-messages.ts";
import { anonymousTokens } from "./0049-anonymous-tokens.ts";
import { reservationsAndEstimates } from "./0050-reservations-and-estimates.ts";
import { auditFilters } from "./0051-audit-filters.ts";
import { clientLeases } from "./0054-client-leases.ts";

/** Takes the schema one version further, inside a transaction. Never edit one that has been on the main branch. */
export type Migration = (db: Kysely<unknown>, engine: Engine) => Promise<void>;

/** Every migration. They run in the order of their names. */
export const migrations: Record<string, Migration> = {
  "0001-initial": initial,
  "0002-text-sizes": textSizes,
  "0003-model-providers": modelProviders,
  "0004-packed-content": packedContent,
  "0005-dense-search": denseSearch,
  "0006-reasoning": reasoning,
  "0007-model-requests": modelRequests,
  "0008-accounts": accounts,
  "0009-comparisons": comparisons,
  "0010-request-contents": requestContents,
  "0011-local-only": localOnly,
  "0012-summaries": summaries,
  "0013-personal-keys": personalKeys,
  "0014-model-settings": modelSettings,
  "0015-pinned-messages": pinnedMessages,
  "0016-sign-in-providers": signInProviders,
  "0017-shares": shares,
  "0018-audit-retention": auditRetention,
  "0019-public-only": publicOnly,
  "0020-passkeys": passkeys,
  "0022-second-factors": secondFactors,
  "0023-personal-instructions": personalInstructions,
  "0024-mail": mail,
  "0025-proxy-identities": proxyIdentities,
  "0026-account-deletion": accountDeletion,
  "0027-groups": groups,
  "0028-passkey-hosts": passkeyHosts,
  "0029-budgets": budgets,
  "0030-thread-members": threadMembers,
  "0031-console-and-directories": consoleAndDirectories,
  "0032-failed-attempts": failedAttempts,
  "0033-shared-branches": sharedBranches,
  "0034-prompts": prompts,
  "0038-profiles": profiles,
  "0039-labels": labels,
  "0040-usage-index": usageIndex,
  "0041-temporary-threads": temporaryThreads,
  "0042-search-changes": searchChanges,
  "0043-use-of-guests": useOfGuests,
  "0044-final-deletions": finalDeletions,
  "0045-audit-days": auditDays,
  "0046-thread-panels": threadPanels,
  "0047-index-of-running-runs": indexOfRunningRuns,
  "0048-rendered-messages": renderedMessages,
  "0049-anonymous-tokens": anonymousTokens,
  "0050-reservations-and-estimates": reservationsAndEstimates,
  "0051-audit-filters": auditFilters,
  "0054-client-leases": clientLeases,
};
