import type * as z from "zod/mini";
import type { Endpoints } from "./endpoint.ts";
import { accountEndpoints } from "./endpoints/accounts.ts";
import { assistantEndpoints } from "./endpoints/assistants.ts";
import { authEndpoints } from "./endpoints/auth.ts";
import { backupEndpoints, restoreEndpoints } from "./backups/endpoints.ts";
import { budgetEndpoints } from "./endpoints/budgets.ts";
import { clientLeaseEndpoints } from "./endpoints/client-leases.ts";
import { comparisonEndpoints } from "./endpoints/comparisons.ts";
import { directoryEndpoints } from "./endpoints/directories.ts";
import { erasureEndpoints } from "./endpoints/erasure.ts";
import { anonymousTokenEndpoints } from "./endpoints/anonymous-tokens.ts";
import { consoleEndpoints } from "./endpoints/console.ts";
import { eventEndpoints } from "./endpoints/events.ts";
import { exportEndpoints } from "./endpoints/exports.ts";
import { fileEndpoints } from "./endpoints/files.ts";
import { groupEndpoints } from "./endpoints/groups.ts";
import { healthEndpoints } from "./endpoints/health.ts";
import { importEndpoints } from "./endpoints/imports.ts";
import { liveEndpoints } from "./endpoints/live.ts";
import { mailEndpoints } from "./endpoints/mail.ts";
import { messageEndpoints } from "./endpoints/messages.ts";
import { modelEndpoints } from "./endpoints/models.ts";
import { passkeyEndpoints } from "./endpoints/passkeys.ts";
import { peopleEndpoints } from "./endpoints/people.ts";
import { preparedPeopleEndpoints } from "./prepared-people/endpoints.ts";
import { personalKeyEndpoints } from "./endpoints/keys.ts";
import { personalInstructionEndpoints } from "./endpoints/personal-instructions.ts";
import { pdfEndpoints } from "./endpoints/pdf.ts";
import { profileEndpoints } from "./endpoints/profile.ts";
import { messageRemovalEndpoints } from "./endpoints/message-removal.ts";
import { branchCopyEndpoints } from "./endpoints/branch-copies.ts";
import { pinEndpoints } from "./endpoints/pins.ts";
import { appEndpoints } from "./endpoints/apps.ts";
import { labelEndpoints } from "./labels/endpoints.ts";
import { promptEndpoints } from "./prompts/endpoints.ts";
import { alertEndpoints } from "./alerts/endpoints.ts";
import { webSearchEndpoints } from "./web-search/endpoints.ts";
import { toolServerEndpoints } from "./tool-servers/endpoints.ts";
import { webhookEndpoints } from "./webhooks/endpoints.ts";
import { providerEndpoints } from "./endpoints/providers.ts";
import { proxySignInEndpoints } from "./endpoints/proxy-sign-in.ts";
import { queueEndpoints } from "./endpoints/queue.ts";
import { receiptEndpoints } from "./endpoints/receipts.ts";
import { reportEndpoints } from "./endpoints/reports.ts";
import { replayEndpoints, retentionEndpoints } from "./retention/endpoints.ts";
import { runEndpoints } from "./endpoints/runs.ts";
import { scoreEndpoints } from "./endpoints/scores.ts";
import { searchEndpoints } from "./endpoints/search.ts";
import { secondFactorEndpoints } from "./endpoints/second-factors.ts";
import { suggestionEndpoints } from "./endpoints/suggestions.ts";
import { summaryEndpoints } from "./endpoints/summaries.ts";
import { signInProviderEndpoints } from "./endpoints/sign-in-providers.ts";
import { shareEndpoints } from "./endpoints/shares.ts";
import { streamEndpoints } from "./endpoints/streams.ts";
import { threadEndpoints } from "./endpoints/threads.ts";
import { threadPanelEndpoints } from "./endpoints/thread-panels.ts";
import { threadMemberEndpoints } from "./endpoints/thread-members.ts";
import { toolEndpoints } from "./endpoints/tools.ts";
import { toolRuleEndpoints } from "./tools/endpoints.ts";
import { traceEndpoints } from "./endpoints/traces.ts";
import { usageEndpoints } from "./endpoints/usage.ts";

/**
 * Every endpoint by name. The server pairs each with a function, the web app calls it, the tests go through all of them,
 * and the API reference is generated from them.
 */
export const api = {
  ...authEndpoints,
  ...passkeyEndpoints,
  ...accountEndpoints,
  ...secondFactorEndpoints,
  ...mailEndpoints,
  ...proxySignInEndpoints,
  ...personalKeyEndpoints,
  ...personalInstructionEndpoints,
  ...profileEndpoints,
  ...labelEndpoints,
  ...promptEndpoints,
  ...peopleEndpoints,
  ...preparedPeopleEndpoints,
  ...groupEndpoints,
  ...budgetEndpoints,
  ...signInProviderEndpoints,
  ...directoryEndpoints,
  ...threadEndpoints,
  ...threadPanelEndpoints,
  ...threadMemberEndpoints,
  ...shareEndpoints,
  ...exportEndpoints,
  ...healthEndpoints,
  ...backupEndpoints,
  ...restoreEndpoints,
  ...importEndpoints,
  ...messageEndpoints,
  ...clientLeaseEndpoints,
  ...messageRemovalEndpoints,
  ...branchCopyEndpoints,
  ...pinEndpoints,
  ...runEndpoints,
  ...comparisonEndpoints,
  ...receiptEndpoints,
  ...streamEndpoints,
  ...reportEndpoints,
  ...queueEndpoints,
  ...summaryEndpoints,
  ...suggestionEndpoints,
  ...traceEndpoints,
  ...fileEndpoints,
  ...pdfEndpoints,
  ...scoreEndpoints,
  ...eventEndpoints,
  ...appEndpoints,
  ...consoleEndpoints,
  ...webSearchEndpoints,
  ...webhookEndpoints,
  ...alertEndpoints,
  ...anonymousTokenEndpoints,
  ...retentionEndpoints,
  ...replayEndpoints,
  ...searchEndpoints,
  ...liveEndpoints,
  ...modelEndpoints,
  ...providerEndpoints,
  ...assistantEndpoints,
  ...toolEndpoints,
  ...toolRuleEndpoints,
  ...toolServerEndpoints,
  ...usageEndpoints,
  ...erasureEndpoints,
} satisfies Endpoints;

export type Api = typeof api;
export type EndpointName = keyof Api;

type Output<E, Key extends string> = E extends { [K in Key]: infer Schema extends z.ZodMiniType }
  ? z.output<Schema>
  : undefined;
type Input<E, Key extends string> = E extends { [K in Key]: infer Schema extends z.ZodMiniType }
  ? z.input<Schema>
  : undefined;

export type ParamsOf<N extends EndpointName> = Output<Api[N], "params">;
export type QueryOf<N extends EndpointName> = Output<Api[N], "query">;
export type BodyOf<N extends EndpointName> = Output<Api[N], "body">;
export type QueryInputOf<N extends EndpointName> = Input<Api[N], "query">;
export type BodyInputOf<N extends EndpointName> = Input<Api[N], "body">;
export type ResponseOf<N extends EndpointName> = Output<Api[N], "response">;
