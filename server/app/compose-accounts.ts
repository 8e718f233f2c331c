import type { Erasure } from "../admin/erasure/erasure.ts";
import { createAccounts } from "../auth/accounts/accounts.ts";
import { createInvitations } from "../auth/accounts/invitations.ts";
import { createPasswordHasher } from "../auth/accounts/password-hash.ts";
import { createPeople } from "../auth/people/people.ts";
import { createSignUp } from "../auth/accounts/sign-up.ts";
import type { Auth } from "../auth/auth.ts";
import { owner } from "../auth/first-project.ts";
import { stopRunsOf } from "../runs/lifecycle/stop-writers.ts";
import type { Claims } from "../threads/claim.ts";
import type { Dependencies } from "./dependencies.ts";

/** Accounts with passwords, and how people get them. */
export function composeAccounts(
  { db, clock }: Dependencies,
  { auth, claims, erasure }: { auth: Auth; claims: Claims; erasure: Erasure },
) {
  const { sessions, policy, ownerSecret } = auth;
  const hasher = createPasswordHasher();
  const { projectId } = owner;
  return {
    accounts: createAccounts({ db, clock, sessions, policy, hasher, adopt: claims.adopt }),
    signUp: createSignUp({ db, clock, projectId, sessions, policy, hasher, ownerSecret }),
    invitations: createInvitations({ db, clock }),
    policy,
    people: createPeople({ db, clock, stopRuns: stopRunsOf, erase: erasure.eraseAccount }),
  };
}
