import { createErasure, emptyRunDetails } from "../admin/erasure/erasure.ts";
import type { Auth } from "../sign-in/auth.ts";
import type { Files } from "../files/files.ts";
import { eraseJobs } from "../jobs/rows.ts";
import type { Live } from "../live/live.ts";
import type { Messages } from "../messages/messages.ts";
import type { Queue } from "../messages/queue/queue.ts";
import type { Events } from "../protocol/events/events.ts";
import { createRetentionSweep } from "../protocol/retention/retention-sweep.ts";
import type { Scores } from "../protocol/scores/scores.ts";
import { eraseRunsOfThread } from "../runs/lifecycle/erase.ts";
import { followRuns } from "../runs/lifecycle/stop-writers.ts";
import { eraseReplySteps } from "../runs/reply-steps.ts";
import type { Suggestions } from "../runs/suggestions/suggestions.ts";
import { createClaims } from "../threads/claim.ts";
import { createTemporaryThreads, type ThreadEraser } from "../threads/temporary.ts";
import type { Nouns } from "./compose-nouns.ts";
import type { Dependencies } from "./dependencies.ts";

/** Moves what people own to another account, and erases it. Each module moves and erases its own rows. */
export function composeErasure(
  { clock, logger, db }: Dependencies,
  modules: {
    auth: Auth;
    live: Live;
    nouns: Nouns;
    files: Files;
    messages: Messages;
    queue: Queue;
    suggestions: Suggestions;
    scores: Scores;
    events: Events;
  },
) {
  const { auth, live, files, messages, queue, scores, events } = modules;
  const threadErasers: ThreadEraser[] = [
    async (tx, id, nowMs) => await eraseRunsOfThread(tx, id, nowMs, emptyRunDetails),
    scores.eraseThread,
    events.eraseThread,
    files.eraseThread,
  ];
  const owned = Object.values(modules.nouns).map(({ module }) => module);
  return {
    claims: createClaims({
      db,
      live,
      visitorOfToken: auth.visitorOfRefreshToken,
      moveHooks: [
        files.follow,
        messages.reassign,
        queue.reassign,
        followRuns,
        scores.reassign,
        events.reassign,
        ...owned.map(({ move }) => move),
      ],
    }),
    erasure: createErasure({
      db,
      clock,
      logger,
      live,
      auth,
      erasers: [
        files.erase,
        modules.suggestions.erase,
        eraseReplySteps,
        messages.redact,
        queue.erase,
        scores.erase,
        events.erase,
        eraseJobs,
        ...owned.map(({ erase }) => erase),
      ],
    }),
    temporary: createTemporaryThreads({ db, live, clock, logger, erasers: threadErasers }),
    deleteOld: createRetentionSweep({ db, live, clock, logger, erasers: threadErasers }),
  };
}
