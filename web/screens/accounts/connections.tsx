import { useState } from "react";
import type { SignInOptions } from "#contract/endpoints/accounts.ts";
import { useSignInMethods } from "#web/data/session/sign-in-methods.ts";
import { leaveForProvider } from "#web/data/session/provider-sign-in.ts";
import { useSignInOptions } from "#web/data/session/sign-in-options.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { printRecent, t } from "#web/i18n/translate.ts";
import { useConfirmedIdentity } from "./confirm-identity.tsx";
import { DirectoryDialog } from "./directory-dialog.tsx";
import styles from "./accounts.module.css";

/** The providers of the server and its proxy, and who the person is there. Nothing if there are none. */
export function Connections() {
  const { session } = useServices();
  const providers = useSignInOptions()?.providers ?? [];
  const { methods, removeIdentity, removeProxyIdentity, refresh } = useSignInMethods();
  const [directory, setDirectory] = useState<SignInOptions["providers"][number]>();
  const { confirmed, dialog } = useConfirmedIdentity();
  if (methods === undefined || (providers.length === 0 && methods.proxy === null)) return null;

  async function connect(provider: SignInOptions["providers"][number]): Promise<void> {
    const { id, asks_password: asksPassword } = provider;
    if (asksPassword) setDirectory(provider);
    else
      await confirmed(
        async () =>
          await leaveForProvider(session.signInWith, id, { to: "/settings/account", connect: true }),
      );
  }

  async function disconnect(remove: () => Promise<void>): Promise<void> {
    if (await confirmed(remove)) showToast(t("account.disconnected"));
  }

  return (
    <section className={styles["section"]}>
      <h2 className={styles["heading"]}>{t("account.providers")}</h2>
      <ul className={styles["methods"]}>
        {providers.map((provider) => {
          const { id, name } = provider;
          const identity = methods.identities.find(({ provider_id: providerId }) => providerId === id);
          return (
            <li key={id}>
              <Known name={name} identity={identity} />
              {identity === undefined ? (
                <Button
                  aria-label={t("account.connectNamed", { name })}
                  onClick={() => void connect(provider).catch(showFailure)}
                >
                  {t("account.connect")}
                </Button>
              ) : (
                <Button
                  aria-label={t("account.disconnectNamed", { name })}
                  onClick={() => void disconnect(async () => await removeIdentity(id)).catch(showFailure)}
                >
                  {t("account.disconnect")}
                </Button>
              )}
            </li>
          );
        })}
        {methods.proxy !== null && (
          <li>
            <Known name={t("account.proxy")} identity={methods.proxy} />
            <Button
              aria-label={t("account.disconnectNamed", { name: t("account.proxy") })}
              onClick={() => void disconnect(removeProxyIdentity).catch(showFailure)}
            >
              {t("account.disconnect")}
            </Button>
          </li>
        )}
      </ul>
      {dialog}
      {directory !== undefined && (
        <DirectoryDialog
          provider={directory}
          request={{ connect: true }}
          onDone={() => {
            setDirectory(undefined);
            showToast(t("account.connected"));
            refresh();
          }}
          onClose={() => setDirectory(undefined)}
        />
      )}
    </section>
  );
}

function Known({
  name,
  identity,
}: {
  name: string;
  identity: { email: string | null; last_used_at: string } | undefined;
}) {
  return (
    <span className={styles["method"]}>
      <bdi>{name}</bdi>
      {identity !== undefined && (
        <span className={styles["quiet"]}>
          {identity.email !== null && <bdi>{identity.email}</bdi>}
          <span>
            {t("account.lastUsed", { when: printRecent(new Date(identity.last_used_at), new Date()) })}
          </span>
        </span>
      )}
    </span>
  );
}
