import { type ReactNode, useState } from "react";
import { leaveForProvider } from "#web/data/session/provider-sign-in.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
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
  providers: readonly { id: string; name: string }[];
  /** Where to go afterwards. */
  to: string;
  invitation?: string;
  children?: ReactNode;
}) {
  const { session } = useServices();
  const [isLeaving, setLeaving] = useState(false);

  async function leave(id: string): Promise<void> {
    setLeaving(true);
    try {
      const more = invitation === undefined ? {} : { invitation };
      await leaveForProvider(session.signInWith, id, { to, ...more });
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
      {providers.map(({ id, name }) => (
        <Button key={id} disabled={isLeaving} onClick={() => void leave(id)}>
          {t("account.continueWith", { name })}
        </Button>
      ))}
    </div>
  );
}
