import { useState } from "react";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Joining, OpenTo } from "#contract/endpoints/accounts.ts";
import { limits } from "#contract/limits.ts";
import { failureOf } from "#web/data/failure.ts";
import { arePasskeysPossible, createPasskey } from "#web/data/session/passkeys.ts";
import { canSignUp, useInvitation, useSignInOptions } from "#web/data/session/sign-in-options.ts";
import { useSession } from "#web/data/session/session.ts";
import { useServices } from "#web/data/provider.tsx";
import { setPreference } from "#web/preferences/preferences.ts";
import { Button } from "#web/ui/button.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { currentLanguageTag } from "#web/i18n/load-language.ts";
import { t } from "#web/i18n/translate.ts";
import { NoticePage, Page } from "../page.tsx";
import { AccountForm } from "./account-form.tsx";
import { numberOf } from "../form/numbers.ts";
import { ProviderButtons } from "./provider-buttons.tsx";
import { useSecretOfLink } from "./secret-of-link.ts";
import styles from "./accounts.module.css";

const aboutJoining: Partial<Record<Joining, () => string>> = {
  invitation: () => t("account.domainNeeded"),
  approval: () => t("account.approvalNeeded"),
};

/** `/sign-up`: creates the owner's account, or that of anybody if the server's settings allow it. */
export function SignUpScreen() {
  const { me } = useSession();
  const options = useSignInOptions();
  const navigate = useNavigate();
  const isOwner = me?.role === "owner" && me.email === null;
  if (!isOwner && options !== undefined && !canSignUp(options))
    return (
      <NoticePage>
        <Notice
          level="h1"
          title={t("account.invitationNeeded")}
          text={t("account.invitationNeededWhy")}
          action={{ label: t("account.signIn"), run: () => void navigate({ to: "/sign-in" }) }}
        />
      </NoticePage>
    );
  return (
    <SignUpPage
      // If guests are turned off already, nobody needs to be asked.
      asksWhoMayUse={isOwner && options?.guests === true}
      about={
        isOwner
          ? t("account.createWhy")
          : options === undefined
            ? undefined
            : aboutJoining[options.joining]?.()
      }
    />
  );
}

/** `/invite#token`: creates the account that an invitation offers. */
export function InviteScreen() {
  const token = useSecretOfLink();
  const { facts, error } = useInvitation(token);
  const navigate = useNavigate();
  if (token === undefined || error !== null)
    return (
      <NoticePage>
        <Notice
          level="h1"
          tone="danger"
          title={t("account.invitationFailed")}
          text={error === null ? t("account.linkIncomplete") : failureOf(error).message}
          action={{ label: t("account.signIn"), run: () => void navigate({ to: "/sign-in" }) }}
        />
      </NoticePage>
    );
  const by = facts?.invited_by ?? undefined;
  return (
    <SignUpPage
      invitation={token}
      about={by === undefined ? undefined : t("account.invitedBy", { name: by })}
    />
  );
}

function SignUpPage({
  about,
  invitation,
  asksWhoMayUse = false,
}: {
  about: string | undefined;
  invitation?: string;
  /** Whether this is the first account, which decides who may use the server. */
  asksWhoMayUse?: boolean;
}) {
  const { session } = useServices();
  const { me } = useSession();
  const providers = useSignInOptions()?.providers;
  const navigate = useNavigate();
  const [waitingFor, setWaitingFor] = useState<"approval" | "confirmation">();
  const [withPasskey, setWithPasskey] = useState(false);
  const [openTo, setOpenTo] = useState<OpenTo>("invited");
  const isForAnyone = asksWhoMayUse && openTo === "anyone";

  async function newPasskeyFor(body: { name: string; email: string; invitation?: string }) {
    const { options } = await session.signInWith("accounts.startPasskeySignUp", body);
    return await createPasskey(options);
  }

  if (waitingFor !== undefined) {
    const isMailed = waitingFor === "confirmation";
    return (
      <NoticePage>
        <Notice
          level="h1"
          title={t(isMailed ? "account.confirmEmail" : "account.waiting")}
          text={t(isMailed ? "account.confirmEmailWhy" : "account.waitingWhy")}
        />
      </NoticePage>
    );
  }
  return (
    <Page title={t("account.create")}>
      {about !== undefined && <p className={styles["about"]}>{about}</p>}
      {me?.role === "owner" && me.email === null && (
        <p className={styles["about"]}>
          <Link to="/admin/$page" params={{ page: "backups" }}>
            {t("account.restoreInstead")}
          </Link>
        </p>
      )}
      <AccountForm
        fields={withPasskey ? ["name", "email"] : ["name", "email", "newPassword"]}
        first={{ guestTokens: String(limits.guestTokensPerDay) }}
        choice={asksWhoMayUse && <WhoMayUse value={openTo} onChange={setOpenTo} />}
        fieldsOfChoice={isForAnyone ? ["guestTokens"] : []}
        submitLabel={t(withPasskey ? "passkey.createAccount" : "account.create")}
        onSubmit={async ({ name, email, newPassword, guestTokens }) => {
          const person = { name, email, ...(invitation === undefined ? {} : { invitation }) };
          const { status } = await session.signInWith("accounts.signUp", {
            ...person,
            language: currentLanguageTag(),
            ...(asksWhoMayUse && { open_to: openTo }),
            ...(isForAnyone && { guest_tokens_per_day: numberOf(guestTokens)! }),
            ...(withPasskey ? { passkey: await newPasskeyFor(person) } : { password: newPassword }),
          });
          if (status !== "joined") return setWaitingFor(status === "waiting" ? "approval" : "confirmation");
          return await navigate({ to: "/", replace: true });
        }}
      >
        {arePasskeysPossible() && (
          <Button look="plain" onClick={() => setWithPasskey(!withPasskey)}>
            {t(withPasskey ? "passkey.usePassword" : "passkey.instead")}
          </Button>
        )}
      </AccountForm>
      <p className={styles["note"]}>
        {arePasskeysPossible() ? withPasskey && t("passkey.about") : t("passkey.notHere")}
      </p>
      <ProviderButtons
        providers={providers ?? []}
        to="/"
        {...(invitation === undefined ? {} : { invitation })}
      />
      {me?.role === "owner" ? (
        <div className={styles["others"]}>
          <Button
            look="plain"
            onClick={() => {
              setPreference("withoutAccount", true);
              void navigate({ to: "/", replace: true });
            }}
          >
            {t("account.goOn")}
          </Button>
        </div>
      ) : (
        <div className={styles["others"]}>
          {me?.role === "guest" && <p className={styles["quiet"]}>{t("account.bringAlong")}</p>}
          <Link to="/sign-in">{t("account.haveOne")}</Link>
        </div>
      )}
    </Page>
  );
}

const openToOptions = ["invited", "anyone"] as const;

/** Who may use the server from the first account on. */
function WhoMayUse({ value, onChange }: { value: OpenTo; onChange(value: OpenTo): void }) {
  return (
    <RadioGroup<OpenTo>
      legend={t("firstAccount.whoMayUse")}
      value={value}
      onChange={onChange}
      options={openToOptions.map((each) => ({
        value: each,
        label: t(`firstAccount.${each}`),
        hint: t(`firstAccount.${each}Hint`),
      }))}
    />
  );
}
