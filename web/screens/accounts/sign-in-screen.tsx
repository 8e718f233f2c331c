import { useState } from "react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import KeyRound from "lucide-react/icons/key-round";
import { inApp } from "#web/lib/base-path.ts";
import { arePasskeysPossible, signInWithPasskey } from "#web/data/session/passkeys.ts";
import { canSignUp, useProxyPerson, useSignInOptions } from "#web/data/session/sign-in-options.ts";
import { useSession } from "#web/data/session/session.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { currentLanguageTag } from "#web/i18n/load-language.ts";
import { t } from "#web/i18n/translate.ts";
import { NoticePage, Page } from "../page.tsx";
import { AccountForm, codeIn } from "./account-form.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import styles from "./accounts.module.css";

/** `/sign-in`: with a passkey, a provider, or with e-mail address and password. */
export function SignInScreen() {
  const { session } = useServices();
  const wasSignedOut = useSession().error?.code === "signed-out";
  const { to = "/" } = useSearch({ strict: false });
  const options = useSignInOptions();
  const navigate = useNavigate();
  const [isPasswordForgotten, setPasswordForgotten] = useState(false);
  const [email, setEmail] = useState("");
  const { isBusy, run } = useBusy();
  const mails = options?.mails === true;
  const proxyPerson = useProxyPerson();
  const [isWaiting, setWaiting] = useState(false);
  // The link that confirms the address of somebody who waits for an account.
  const [token] = useState(() => /^#(confirm_0\w+)$/.exec(location.hash)?.[1]);
  const confirmation = token === undefined ? {} : { confirmation: token };

  async function choosePasskey(): Promise<void> {
    await signInWithPasskey(session.signInWith, { ...confirmation, language: currentLanguageTag() });
    await navigate({ href: to, replace: true });
  }

  async function continueWithProxy(): Promise<void> {
    const { status } = await session.signInWith("accounts.proxySignIn", {});
    if (status === "waiting") setWaiting(true);
    else await navigate({ href: to, replace: true });
  }

  if (isWaiting)
    return (
      <NoticePage>
        <Notice level="h1" title={t("account.waiting")} text={t("account.waitingWhy")} />
      </NoticePage>
    );
  if (isPasswordForgotten && mails)
    return <ForgottenPassword email={email} onBack={() => setPasswordForgotten(false)} />;
  return (
    <Page title={t("account.signIn")}>
      {wasSignedOut && (
        <p role="status" className={styles["about"]}>
          {t("account.signedOut")}
        </p>
      )}
      {token !== undefined && <p className={styles["about"]}>{t("account.confirmBySignIn")}</p>}
      {proxyPerson !== undefined && (
        <p className={styles["proxy"]}>
          <Button look="strong" disabled={isBusy} onClick={() => run(continueWithProxy)}>
            {t("account.continueAs", { address: proxyPerson })}
          </Button>
        </p>
      )}
      {options?.has_accounts === false && <p className={styles["about"]}>{t("account.none")}</p>}
      <AccountForm
        fields={["email", "password"]}
        first={{ email }}
        submitLabel={t("account.signIn")}
        onSubmit={async ({ email: address, password, code }) => {
          await session.signInWith("accounts.signIn", {
            email: address,
            password,
            language: currentLanguageTag(),
            ...codeIn(code),
            ...confirmation,
          });
          await navigate({ href: to, replace: true });
        }}
      >
        {(values) => (
          <Button
            look="plain"
            onClick={() => {
              setEmail(values.email);
              setPasswordForgotten(true);
            }}
          >
            {t("account.forgot")}
          </Button>
        )}
      </AccountForm>
      {isPasswordForgotten && (
        <p role="status" className={styles["forgot"]}>
          {t("account.forgotHow")}
        </p>
      )}
      <ProviderButtons providers={options?.providers ?? []} to={to}>
        {arePasskeysPossible() && options?.has_accounts === true ? (
          <Button disabled={isBusy} onClick={() => run(choosePasskey)}>
            <Icon of={KeyRound} size={16} />
            {t("passkey.signIn")}
          </Button>
        ) : undefined}
      </ProviderButtons>
      <OtherWays options={options} />
    </Page>
  );
}

/** To create an account, or to go on as a guest, and what else a guest should know. */
function OtherWays({ options }: { options: ReturnType<typeof useSignInOptions> }) {
  const { session } = useServices();
  const { me, error } = useSession();

  async function goOnAsGuest(): Promise<void> {
    // The browser forgets the session that has ended.
    if (error?.code === "signed-out") await session.signInWith("auth.closeSession");
    location.assign(inApp("/"));
  }

  return (
    <div className={styles["others"]}>
      {options !== undefined && canSignUp(options) && <Link to="/sign-up">{t("account.create")}</Link>}
      {options?.guests === true && me === undefined && (
        <Button look="plain" onClick={() => void goOnAsGuest().catch(showFailure)}>
          {t("account.goOn")}
        </Button>
      )}
      {!arePasskeysPossible() && <p className={styles["quiet"]}>{t("passkey.notHere")}</p>}
      {me?.role === "guest" && <p className={styles["quiet"]}>{t("account.bringAlong")}</p>}
    </div>
  );
}

/** Sends a link to the person's address, and says the same whether anybody has it. */
function ForgottenPassword({ email: first, onBack }: { email: string; onBack(): void }) {
  const { session } = useServices();
  const [isSent, setSent] = useState(false);
  return (
    <Page title={t("forgot.title")}>
      <p role="status" className={styles["about"]}>
        {t(isSent ? "forgot.sent" : "forgot.about")}
      </p>
      {!isSent && (
        <AccountForm
          fields={["email"]}
          first={{ email: first }}
          submitLabel={t("forgot.send")}
          onSubmit={async ({ email }) => {
            await session.signInWith("accounts.requestReset", { email, language: currentLanguageTag() });
            setSent(true);
          }}
        />
      )}
      <div className={styles["others"]}>
        <Button look="plain" onClick={onBack}>
          {t("account.signIn")}
        </Button>
      </div>
    </Page>
  );
}
