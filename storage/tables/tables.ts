import type { Table } from "../schema/table.ts";
import { apiKeys } from "./apps/api-keys.ts";
import { jwtRules } from "./apps/jwt-rules.ts";
import { appRetention } from "./apps/app-retention.ts";
import { alertRules } from "./apps/alert-rules.ts";
import { apps } from "./apps/apps.ts";
import { webhookDeliveries, webhooks, webhookSecrets } from "./apps/webhooks.ts";
import { assistants } from "./assistants/assistants.ts";
import { modelProviderKeys, modelProviders } from "./assistants/model-providers.ts";
import { modelSettings } from "./assistants/model-settings.ts";
import { prompts } from "./assistants/prompts.ts";
import { blobRemovals } from "./files/blob-removals.ts";
import { fileTexts, unreadFiles } from "./files/file-texts.ts";
import { blobs, fileClaims, files } from "./files/files.ts";
import { jobs } from "./jobs/jobs.ts";
import { logEntries, logTopics } from "./log/log.ts";
import { clientLeases } from "./messages/client-leases.ts";
import { branchHeads, goneMessages, messages } from "./messages/messages.ts";
import { queuedMessages } from "./messages/queued-messages.ts";
import { replySteps } from "./messages/reply-steps.ts";
import { suggestions } from "./messages/suggestions.ts";
import { summaries } from "./messages/summaries.ts";
import { accessSettings } from "./people/access-settings.ts";
import { auditEntries } from "./people/audit-entries.ts";
import { budgetReservations, budgets, usageSums } from "./people/budgets.ts";
import { userGroupMembers, userGroups } from "./people/groups.ts";
import { invitations, joinRequests } from "./people/invitations.ts";
import { mailSecrets, mailSettings } from "./people/mail.ts";
import { personalInstructions } from "./people/personal-instructions.ts";
import { personalKeys } from "./people/personal-keys.ts";
import { preparedPeople } from "./people/prepared-people.ts";
import { profiles } from "./people/profiles.ts";
import { users } from "./people/users.ts";
import { workspaces } from "./people/workspaces.ts";
import { comparisons } from "./runs/comparisons.ts";
import { events } from "./runs/events.ts";
import { modelRequests, requestContents } from "./runs/model-requests.ts";
import { runReports, runSpans, traces } from "./runs/run-reports.ts";
import { runSteps } from "./runs/run-steps.ts";
import { runs } from "./runs/runs.ts";
import { scores } from "./runs/scores.ts";
import { searchDocuments, searchFileDocuments, searchPending } from "./search/search.ts";
import { backupSecrets, backupSettings, backupState, installations } from "./server/backups.ts";
import { authSettings } from "./sign-in/auth-settings.ts";
import { releaseChecks } from "./people/release-checks.ts";
import { failedAttempts } from "./sign-in/failed-attempts.ts";
import { passkeyChallenges, passkeys } from "./sign-in/passkeys.ts";
import { accountTokens, passwords } from "./sign-in/passwords.ts";
import { proxyIdentities } from "./sign-in/proxy-identities.ts";
import { recoveryCodes, secondFactorSecrets, secondFactors } from "./sign-in/second-factors.ts";
import { sessions } from "./sign-in/sessions.ts";
import {
  identities,
  signInFlows,
  signInProviderSecrets,
  signInProviders,
} from "./sign-in/sign-in-providers.ts";
import { labels, threadTags } from "./threads/labels.ts";
import { listBookmarks } from "./threads/list-bookmarks.ts";
import { renderedMessages, shares } from "./threads/shares.ts";
import { threadMembers } from "./threads/thread-members.ts";
import { threadPanels } from "./threads/thread-panels.ts";
import { threads } from "./threads/threads.ts";
import { webSearch, webSearchSecrets } from "./tools/web-search.ts";
import { toolCalls } from "./runs/tool-calls.ts";
import { toolRules } from "./people/tool-rules.ts";
import {
  toolServerFlows,
  toolServerLists,
  toolServers,
  toolServerSecrets,
  toolServerSignIns,
} from "./tools/tool-servers.ts";

/** Every table. One comes after those that it refers to. */
export const tables = [
  apps,
  workspaces,
  users,
  apiKeys,
  jwtRules,
  appRetention,
  passwords,
  accountTokens,
  sessions,
  authSettings,
  releaseChecks,
  signInProviders,
  signInProviderSecrets,
  identities,
  signInFlows,
  proxyIdentities,
  passkeys,
  passkeyChallenges,
  secondFactors,
  secondFactorSecrets,
  recoveryCodes,
  failedAttempts,
  invitations,
  joinRequests,
  preparedPeople,
  userGroups,
  userGroupMembers,
  accessSettings,
  toolRules,
  budgets,
  usageSums,
  budgetReservations,
  personalKeys,
  personalInstructions,
  profiles,
  mailSettings,
  mailSecrets,
  webSearch,
  webSearchSecrets,
  auditEntries,
  installations,
  backupSettings,
  backupSecrets,
  backupState,
  assistants,
  prompts,
  modelProviders,
  modelProviderKeys,
  modelSettings,
  toolServers,
  toolServerSecrets,
  toolServerSignIns,
  toolServerFlows,
  toolServerLists,
  labels,
  threads,
  jobs,
  threadTags,
  threadMembers,
  threadPanels,
  listBookmarks,
  messages,
  branchHeads,
  goneMessages,
  queuedMessages,
  clientLeases,
  replySteps,
  summaries,
  suggestions,
  shares,
  renderedMessages,
  runs,
  comparisons,
  modelRequests,
  requestContents,
  toolCalls,
  runSteps,
  runReports,
  traces,
  runSpans,
  scores,
  events,
  blobs,
  files,
  fileClaims,
  fileTexts,
  unreadFiles,
  blobRemovals,
  searchDocuments,
  searchFileDocuments,
  searchPending,
  logTopics,
  logEntries,
  // After all that webhooks tell of: what a restore inserts is not sent.
  webhooks,
  webhookSecrets,
  webhookDeliveries,
  alertRules,
] as const satisfies Table[];
