import { Link } from "@tanstack/react-router";
import type { Me } from "#contract/endpoints/auth.ts";
import { useSignInMethods } from "#web/data/session/sign-in-methods.ts";
import { useSession } from "#web/data/session/session.ts";
import { signOut } from "#web/data/session/sign-out.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { LoadingRows } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { AccountForm } from "./account-form.tsx";
import { useConfirmedIdentity } from "./confirm-identity.tsx";
import { Connections } from "./connections.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PictureField } from "./picture-field.tsx";
import { SecondFactor } from "./second-factor.tsx";
import styles from "./accounts.module.css";

/** `/settings/account`: name, e-mail address and password, or how to get an account. */
export function AccountPage() {
  const { me } = useSession();
  return (
    <Page title={t("account.title")}>
      {me === undefined && <LoadingRows label={t("account.loading")} />}
      {me?.email === null && <WithoutAccount me={me} />}
      {me !== undefined && me.email !== null && <WithAccount me={{ ...me, email: me.email }} />}
    </Page>
  );
}

function WithoutAccount({ me }: { me: Me }) {
  const isOwner = me.role === "owner";
  return (
    <>
      <p className={styles["about"]}>{t(isOwner ? "account.createWhy" : "account.guestWhy")}</p>
      <p className={styles["foot"]}>
        <Link to={isOwner ? "/sign-up" : "/sign-in"} className={styles["main"]}>
          {t(isOwner ? "account.create" : "account.signIn")}
        </Link>
      </p>
    </>
  );
}

function WithAccount({ me }: { me: Me & { email: string } }) {
  const { call, session } = useServices();
  const { methods, setPassword } = useSignInMethods();
  const hasPassword = methods?.has_password === true;
  const identity = useConfirmedIdentity();
  return (
    <>
      <PictureField me={me} />
      <AccountForm
        key={me.user_id}
        fields={["name"]}
        first={{ name: me.name ?? "" }}
        submitLabel={t("action.save")}
        onSubmit={async ({ name }) => {
          session.changed(await call("accounts.update", { body: { name } }));
          showToast(t("account.saved"));
        }}
      />
      <section className={styles["section"]}>
        <h2 className={styles["heading"]}>{t("account.email")}</h2>
        <p className={styles["about"]}>
          <bdi>{me.email}</bdi>
        </p>
        {methods !== undefined && (
          <details className={styles["change"]}>
            <summary>{t("account.changeEmail")}</summary>
            <AccountForm
              key={me.email}
              fields={hasPassword ? ["email", "currentPassword"] : ["email"]}
              submitLabel={t("account.changeEmail")}
              isReset
              onSubmit={async ({ email, currentPassword }) => {
                const body = { email, ...(hasPassword ? { password: currentPassword } : {}) };
                const isDone = await identity.confirmed(async () =>
                  session.changed(await call("accounts.update", { body })),
                );
                if (isDone) showToast(t("account.saved"));
              }}
            />
          </details>
        )}
      </section>
      {methods !== undefined && (
        <section className={styles["section"]}>
          <h2 className={styles["heading"]}>
            {t(hasPassword ? "account.changePassword" : "account.setPassword")}
          </h2>
          <p className={styles["about"]}>{t("account.changePasswordWhat")}</p>
          <AccountForm
            key={String(hasPassword)}
            fields={hasPassword ? ["currentPassword", "newPassword"] : ["newPassword"]}
            submitLabel={t(hasPassword ? "account.changePassword" : "account.setPassword")}
            isReset
            onSubmit={async ({ currentPassword, newPassword }) => {
              const body = {
                password: newPassword,
                ...(hasPassword ? { current_password: currentPassword } : {}),
              };
              if (await identity.confirmed(async () => await setPassword(body)))
                showToast(t("account.passwordChanged"));
            }}
          />
        </section>
      )}
      <SecondFactor />
      <Passkeys />
      <Connections />
      {identity.dialog}
      <section className={styles["section"]}>
        <Button onClick={() => void signOut(session.signInWith).catch(showFailure)}>
          {t("account.signOut")}
        </Button>
      </section>
      <DeleteAccount />
    </>
  );
}
