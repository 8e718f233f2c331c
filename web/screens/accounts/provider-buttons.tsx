import { type ReactNode, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import type { SignInOptions } from "#contract/endpoints/accounts.ts";
import { leaveForProvider } from "#web/data/session/provider-sign-in.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { DirectoryDialog } from "./directory-dialog.tsx";
import styles from "./accounts.module.css";

/**
 * A button for each provider that people can sign in with, after `children`. Below the form, which does not move when the
 * options of the server arrive.
 */
export function ProviderButtons({
  providers,
  to,
  invitation,
  children,
}: {
  providers: SignInOptions["providers"];
  /** Where to go afterwards. */
  to: string;
  invitation?: string;
  children?: ReactNode;
}) {
  const { session } = useServices();
  const [isLeaving, setLeaving] = useState(false);

  const [directory, setDirectory] = useState<SignInOptions["providers"][number]>();
  const navigate = useNavigate();
  const request = invitation === undefined ? {} : { invitation };

  async function leave(id: string): Promise<void> {
    setLeaving(true);
    try {
      await leaveForProvider(session.signInWith, id, { to, ...request });
    } catch (error) {
      setLeaving(false);
      showFailure(error);
    }
  }

  if (providers.length === 0 && children === undefined) return null;
  return (
    <div className={styles["providers"]}>
      <p className={styles["or"]}>{t("account.or")}</p>
      {children}
      {providers.map((provider) => (
        <Button
          key={provider.id}
          disabled={isLeaving}
          onClick={() => (provider.asks_password ? setDirectory(provider) : void leave(provider.id))}
        >
          {t("account.continueWith", { name: provider.name })}
        </Button>
      ))}
      {directory !== undefined && (
        <DirectoryDialog
          provider={directory}
          request={request}
          onDone={() => void navigate({ href: to, replace: true })}
          onClose={() => setDirectory(undefined)}
        />
      )}
    </div>
  );
}
