import type { Erasure } from "../admin/erasure/erasure.ts";
import { createAccountDeletion } from "../people/accounts/account-deletion.ts";
import { createAccounts } from "../people/accounts/accounts.ts";
import { createEmailConfirmations } from "../people/mail/email-confirmations.ts";
import { createEnterAccount } from "../people/accounts/enter-account.ts";
import { createInvitations } from "../people/accounts/invitations.ts";
import { createJoin } from "../people/accounts/join.ts";
import type { PasswordHasher } from "../people/accounts/password-hash.ts";
import { createRequireRecentSignIn } from "../sign-in/recent-sign-in.ts";
import { createSignInMethods } from "../people/accounts/sign-in-methods.ts";
import { createCeremonies } from "../sign-in/passkeys/ceremonies.ts";
import { createExportMails } from "../people/mail/export-mails.ts";
import { createMail } from "../people/mail/mail.ts";
import { createResetRequests } from "../people/mail/reset-requests.ts";
import { createMailVault } from "../people/mail/mail-vault.ts";
import { createPasskeys } from "../sign-in/passkeys/passkeys.ts";
import { createClaimedGroups } from "../people/groups/claimed-groups.ts";
import { createGroups } from "../people/groups/groups.ts";
import { createJoinRequests } from "../people/join-requests.ts";
import { createPeople } from "../people/people.ts";
import { createProxySignIn } from "../sign-in/proxy-sign-in/proxy-sign-in.ts";
import { createClaimPrepared } from "../people/prepared/claim-prepared.ts";
import { createPreparedPeople } from "../people/prepared/prepared-people.ts";
import { createSignUp } from "../people/accounts/sign-up.ts";
import type { Attempts } from "../sign-in/attempts/attempts.ts";
import type { Auth } from "../sign-in/auth.ts";
import { owner } from "../apps/first-app.ts";
import { createClientSecretVault } from "../sign-in/providers/client-secrets.ts";
import { createDirectorySignIn } from "../sign-in/directories/directory-sign-in.ts";
import { createTestDirectory } from "../sign-in/directories/test-directory.ts";
import { createCompleteSignIn } from "../sign-in/providers/complete-sign-in.ts";
import { createManageSignInProviders } from "../sign-in/providers/manage-sign-in-providers.ts";
import { createProviderClients } from "../sign-in/providers/provider-clients.ts";
import { createSecondFactorCheck } from "../sign-in/second-factor/check-second-factor.ts";
import { createSecondFactors } from "../sign-in/second-factor/second-factors.ts";
import { createSecondFactorVault } from "../sign-in/second-factor/second-factor-vault.ts";
import { createProviderSignIn } from "../sign-in/providers/provider-sign-in.ts";
import { stopRunsOf } from "../runs/lifecycle/stop-writers.ts";
import type { Live } from "../live/live.ts";
import type { Claims } from "../threads/claim.ts";
import { createWatchReaders } from "../threads/members/group-changes.ts";
import { mayStoreSecrets, type Dependencies } from "./dependencies.ts";

/** Accounts, how people sign in to them, and how they get them. */
export function composeAccounts(
  dependencies: Dependencies,
  modules: {
    auth: Auth;
    claims: Claims;
    erasure: Erasure;
    hasher: PasswordHasher;
    attempts: Attempts;
    live: Live;
  },
) {
  const { auth, claims, erasure, hasher, attempts, live } = modules;
  const { db, clock, logger, jobs, secret } = dependencies;
  const { sessions, policy, ownerSecret } = auth;
  const factorVault = createSecondFactorVault(secret);
  const secondFactor = createSecondFactorCheck({
    db,
    clock,
    vault: factorVault,
    attempts,
    browsers: auth.browsers,
  });
  const { appId } = owner;
  const join = createJoin({ db, clock, appId, sessions, policy, ownerSecret, adopt: claims.adopt });
  const vault = createClientSecretVault(secret);
  const { publicUrl } = dependencies.config;
  const host = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const here = { host, hasProxy: dependencies.config.proxySignIn.addresses.length > 0 };
  const watchReaders = createWatchReaders({ live });
  const claimedGroups = createClaimedGroups({ watchReaders });
  const signInProviders = createManageSignInProviders({
    db,
    clock,
    vault,
    claimedGroups,
    mayStoreSecrets: mayStoreSecrets(dependencies),
    host,
  });
  const clients = createProviderClients({ clock, vault });
  const mail = createMail({
    db,
    clock,
    logger,
    vault: createMailVault(secret),
    mayStoreSecrets: mayStoreSecrets(dependencies),
    publicUrl,
  });
  const claimPrepared = createClaimPrepared({ adopt: claims.adopt });
  const confirmations = createEmailConfirmations({ db, clock, logger, mail, claimPrepared });
  const enter = createEnterAccount({
    db,
    clock,
    sessions,
    adopt: claims.adopt,
    secondFactor,
    confirmations,
  });
  const ceremonies = createCeremonies({ db, clock, logger });
  const requireRecent = createRequireRecentSignIn({ db, clock });
  const complete = createCompleteSignIn({
    db,
    clock,
    sessions,
    enter,
    join,
    claimedGroups,
    claimPrepared,
  });
  return {
    accounts: createAccounts({
      browsers: auth.browsers,
      db,
      clock,
      policy,
      hasher,
      enter,
      attempts,
      secondFactor,
      me: auth.me,
      requireRecent,
      providers: signInProviders.names,
      mails: mail.isSet,
    }),
    mail,
    resetRequests: createResetRequests({ db, clock, jobs, mail }),
    exportMails: createExportMails({ db, mail, publicUrl }),
    deletion: createAccountDeletion({
      db,
      clock,
      logger,
      requireRecent,
      stopRuns: stopRunsOf,
      erase: erasure.eraseAccount,
    }),
    signUp: createSignUp({ join, hasher, ceremonies, confirmations }),
    passkeys: createPasskeys({ db, clock, ceremonies, enter, join, requireRecent, here }),
    secondFactors: createSecondFactors({
      db,
      clock,
      vault: factorVault,
      requireRecent,
      mayStoreSecrets: mayStoreSecrets(dependencies),
    }),
    invitations: createInvitations({ db, clock }),
    signInMethods: createSignInMethods({ db, clock, requireRecent, claimedGroups, here }),
    signInProviders,
    providerSignIn: createProviderSignIn({
      db,
      clock,
      logger,
      sessions,
      clients,
      complete,
      requireRecent,
    }),
    directorySignIn: createDirectorySignIn({
      db,
      clock,
      logger,
      vault,
      sessions,
      attempts,
      complete,
      requireRecent,
    }),
    testDirectory: createTestDirectory({ db, vault }),
    proxySignIn: createProxySignIn({
      db,
      sessions,
      enter,
      join,
      connectsAccounts: dependencies.config.proxySignIn.connectsAccounts,
    }),
    policy,
    groups: createGroups({ db, clock, watchReaders }),
    joinRequests: createJoinRequests({ db, clock }),
    preparedPeople: createPreparedPeople({ db, clock, erase: erasure.eraseAccount }),
    people: createPeople({ db, clock, stopRuns: stopRunsOf, erase: erasure.eraseAccount }),
  };
}
