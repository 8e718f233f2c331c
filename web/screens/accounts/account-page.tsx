import { Link } from "@tanstack/react-router";
import type { Me } from "#contract/endpoints/auth.ts";
import { useSession } from "#web/data/session/session.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { LoadingRows } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { AccountForm } from "./account-form.tsx";
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
  return (
    <>
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
        <details className={styles["change"]}>
          <summary>{t("account.changeEmail")}</summary>
          <AccountForm
            key={me.email}
            fields={["email", "currentPassword"]}
            submitLabel={t("account.changeEmail")}
            isReset
            onSubmit={async ({ email, currentPassword }) => {
              session.changed(await call("accounts.update", { body: { email, password: currentPassword } }));
              showToast(t("account.saved"));
            }}
          />
        </details>
      </section>
      <section className={styles["section"]}>
        <h2 className={styles["heading"]}>{t("account.changePassword")}</h2>
        <p className={styles["about"]}>{t("account.changePasswordWhat")}</p>
        <AccountForm
          fields={["currentPassword", "newPassword"]}
          submitLabel={t("account.changePassword")}
          isReset
          onSubmit={async ({ currentPassword, newPassword }) => {
            await call("accounts.changePassword", {
              body: { current_password: currentPassword, password: newPassword },
            });
            showToast(t("account.passwordChanged"));
          }}
        />
      </section>
      <section className={styles["section"]}>
        <Button onClick={() => void signOut().catch(showFailure)}>{t("account.signOut")}</Button>
      </section>
    </>
  );

  async function signOut(): Promise<void> {
    await session.signInWith("auth.closeSession");
    // Loads the page again, so that nothing of this person stays in its memory.
    location.assign("/sign-in");
  }
}
