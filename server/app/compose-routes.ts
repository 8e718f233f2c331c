import type { EndpointName } from "#contract/api.ts";
import { erasureRoutes } from "../admin/erasure/routes.ts";
import { backupRoutes } from "../admin/backups/backups.ts";
import { restoreRoutes } from "../admin/backups/restores.ts";
import { healthRoutes } from "../admin/health/routes.ts";
import { assistantRoutes } from "../assistants/routes.ts";
import { budgetRoutes } from "../people/budgets/routes.ts";
import { directoryRoutes } from "../sign-in/directories/routes.ts";
import { groupRoutes } from "../people/groups/routes.ts";
import { peopleRoutes } from "../people/routes.ts";
import { preparedPeopleRoutes } from "../people/prepared/routes.ts";
import { secondFactorRoutes } from "../sign-in/second-factor/routes.ts";
import { mailRoutes } from "../people/mail/routes.ts";
import { createProfiles } from "../people/profile/profiles.ts";
import { profileRoutes } from "../people/profile/routes.ts";
import { proxySignInRoutes } from "../sign-in/proxy-sign-in/routes.ts";
import { passkeyRoutes } from "../sign-in/passkeys/routes.ts";
import { personalKeyRoutes } from "../sign-in/personal-keys/routes.ts";
import { accountRoutes } from "../people/accounts/routes.ts";
import { signInProviderRoutes } from "../sign-in/providers/routes.ts";
import { authRoutes } from "../sign-in/routes.ts";
import { extractionRoutes } from "../extraction/routes.ts";
import { fileRoutes } from "../files/routes.ts";
import { createConcurrencyLimiter } from "../lib/concurrency-limit.ts";
import type { RequestFacts, Routes, Visitor } from "../lib/route.ts";
import { assertStorageWritable } from "../lib/storage-state.ts";
import type { FollowedRun } from "../live/live.ts";
import { liveRoutes } from "../live/routes.ts";
import { createPins } from "../messages/pins.ts";
import { messageRoutes } from "../messages/routes.ts";
import { summaryRoutes } from "../messages/summaries/routes.ts";
import { modelRoutes } from "../models/routes.ts";
import { createChat } from "../openai/chat.ts";
import { createEmbeddings } from "../openai/embeddings.ts";
import { createFindModel } from "../openai/find-model.ts";
import { openAiRoutes, type OpenAiRoutes } from "../openai/routes.ts";
import { alertRoutes } from "../protocol/alerts/routes.ts";
import { createConsole } from "../protocol/console/console.ts";
import { consoleRoutes } from "../protocol/console/routes.ts";
import { eventRoutes } from "../protocol/events/routes.ts";
import { createAppRuns } from "../protocol/app-runs/app-runs.ts";
import { appRoutes } from "../protocol/app-runs/routes.ts";
import { protocolRunRoutes } from "../protocol/routes.ts";
import { createRetention } from "../protocol/retention/app-retention.ts";
import { retentionRoutes } from "../protocol/retention/routes.ts";
import { scoreRoutes } from "../protocol/scores/routes.ts";
import { compactionRoutes } from "../runs/compaction/routes.ts";
import type { Runs } from "../runs/lifecycle/runs.ts";
import { runRoutes } from "../runs/routes.ts";
import { searchRoutes } from "../search/routes.ts";
import { serviceUrl } from "../settings/urls.ts";
import { shareRoutes } from "../shares/routes.ts";
import type { ThreadAccess } from "../threads/members/thread-access.ts";
import { forMembers } from "../threads/members/for-members.ts";
import { threadMemberRoutes } from "../threads/members/routes.ts";
import { threadRoutes } from "../threads/routes.ts";
import { toolRoutes } from "../tools/routes.ts";
import { webSearchRoutes } from "../browsing/search/routes.ts";
import { exportRoutes } from "../transfer/exports/routes.ts";
import { importRoutes } from "../transfer/imports/routes.ts";
import { routesOf } from "./compose-nouns.ts";
import type { Modules } from "./compose-modules.ts";
import { mayStoreSecrets, type Dependencies } from "./dependencies.ts";

/** Exports that are created at the same time. */
const exportLimit = { perVisitor: 4, perAddress: 32 };

/** The function of every endpoint. */
export function composeRoutes(
  { config, clock, db, knownHosts, logger }: Dependencies,
  modules: Modules,
): Routes<EndpointName> & OpenAiRoutes {
  const { live, runModules, storage, transfer } = modules;
  const webUrl = ({ origin }: RequestFacts) => config.publicUrl ?? origin;
  const serviceUrlFor = (request: RequestFacts) => serviceUrl(config, request);
  const appRuns = createAppRuns({ db, clock });
  const programModels = createFindModel({
    ...runModules,
    assistants: modules.assistants,
    rights: modules.auth.rights,
  });
  const routes: Routes<EndpointName> = {
    ...authRoutes(modules.auth),
    ...accountRoutes(modules.accounts, { me: modules.auth.me, webUrl }),
    ...signInProviderRoutes(modules.accounts, { me: modules.auth.me, webUrl }),
    ...directoryRoutes(modules.accounts, { me: modules.auth.me }),
    ...secondFactorRoutes(modules.accounts.secondFactors, { webUrl }),
    ...mailRoutes(modules.accounts, { db, webUrl }),
    ...proxySignInRoutes(modules.accounts.proxySignIn, { me: modules.auth.me }),
    ...passkeyRoutes(modules.accounts.passkeys, { me: modules.auth.me, webUrl }),
    ...personalKeyRoutes(modules.auth.personalKeys),
    ...preparedPeopleRoutes(modules.accounts.preparedPeople, modules.accounts.mail, webUrl),
    ...peopleRoutes(modules.accounts, {
      db,
      clock,
      anonymousTokens: modules.auth.anonymousTokens,
      auditRetention: modules.auditRetention,
      webUrl,
      mayStoreSecrets: mayStoreSecrets({ config, db }),
    }),
    ...groupRoutes(modules.accounts.groups, { db, clock }),
    ...budgetRoutes(modules.auth.budgets),
    ...threadRoutes(modules.threads, modules.claims, modules.trash, modules.allowedTools, modules.temporary),
    ...shareRoutes(modules.sharing.shares, modules.sharing.continueShare, {
      webUrl,
      serviceUrl: serviceUrlFor,
    }),
    ...messageRoutes({
      ...modules,
      pins: createPins({ db, threads: modules.threads, live }),
      titleInBackground: runModules.threadTitles.titleInBackground,
    }),
    ...summaryRoutes(modules.summaries),
    ...compactionRoutes(runModules),
    ...runRoutes(runModules),
    ...protocolRunRoutes({ ...runModules, ...modules }),
    ...extractionRoutes(runModules.readFileText),
    ...fileRoutes(modules.files, modules.pages, serviceUrlFor),
    ...scoreRoutes(modules.scores),
    ...eventRoutes(modules.events),
    ...appRoutes(appRuns),
    ...consoleRoutes(
      createConsole({
        db,
        clock,
        originsForAll: config.allowedOrigins,
        withoutList: knownHosts.nearOrigins,
        anonymousTokens: modules.auth.anonymousTokens,
        budgets: modules.auth.budgets,
      }),
      { ...modules, runs: appRuns, replays: runModules.replays },
    ),
    ...retentionRoutes(createRetention({ db, clock })),
    ...alertRoutes(modules.alerts),
    ...webSearchRoutes(modules.browsing.webSearch),
    ...erasureRoutes(modules.erasure),
    ...healthRoutes(modules.health, modules.updates),
    ...backupRoutes(modules.backups),
    ...restoreRoutes(modules.restores),
    ...modelRoutes(runModules.models, runModules.providers, runModules.modelSettings, {
      fetch,
      rights: modules.auth.rights,
    }),
    ...assistantRoutes(modules.assistants, modules.auth.rights),
    ...profileRoutes(createProfiles({ db, clock, shrink: modules.fileModules.shrinkPicture }), {
      me: modules.auth.me,
    }),
    ...routesOf(modules.nouns),
    ...toolRoutes(
      modules.tools,
      async (visitor) => (await modules.toolServerModules.offered.of(visitor)).tools,
    ),
    ...searchRoutes(modules.search),
    ...exportRoutes(transfer, createConcurrencyLimiter("too-many-transfers", exportLimit)),
    ...importRoutes(transfer.imports, serviceUrlFor, () => assertStorageWritable(storage), webUrl),
    ...threadMemberRoutes(modules.threadMembers),
    ...liveRoutes(live, followRunFor(runModules.runs, modules.threadAccess), modules.auth.followAccess),
  };
  return {
    ...forMembers(routes, modules.threadAccess),
    ...openAiRoutes(
      programModels,
      createChat({
        db,
        clock,
        logger,
        models: programModels,
        prepare: runModules.prepare,
        assistants: modules.assistants,
        reserve: runModules.reserve,
      }),
      createEmbeddings({ db, clock, logger, ...runModules, ...modules.auth }),
    ),
  };
}

/** A run of the visitor's own threads, or of one that is shared with them, as long as it is. */
function followRunFor(
  runs: Pick<Runs, "followIfOwn">,
  access: ThreadAccess,
): (visitor: Visitor, runId: string, after: number) => Promise<FollowedRun | undefined> {
  return async (visitor, runId, after) => {
    const acting = await access.actOn(visitor, { run_id: runId }, "read");
    const events = await runs.followIfOwn(acting, runId, after);
    const { sharedThreadId: threadId } = acting;
    if (events === undefined || threadId === undefined) return events && { runId, events };
    return {
      runId,
      events(signal, mutex) {
        const lost = new AbortController();
        const shared = events(AbortSignal.any([signal, lost.signal]), mutex);
        return access.whileShared(visitor, threadId, shared, lost);
      },
    };
  };
}
