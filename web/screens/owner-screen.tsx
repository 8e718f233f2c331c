import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { type Failure, failureOf } from "#web/data/failure.ts";
import { useServices } from "#web/data/provider.tsx";
import { readPreference } from "#web/preferences/preferences.ts";
import { Notice } from "#web/ui/notice.tsx";
import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { t } from "#web/i18n/translate.ts";
import { useSecretOfLink } from "./accounts/secret-of-link.ts";
import { NoticePage } from "./page.tsx";
import { useTitle } from "./shell/title.ts";
import styles from "./owner-screen.module.css";

/**
 * `/owner#secret`: the link that the server prints. It opens the owner's session in this browser, once, and leads to the
 * page that creates the owner's account, unless the owner has decided to go on without one.
 */
export function OwnerScreen() {
  useTitle(t("owner.title"));
  const secret = useSecretOfLink();
  const [failure, setFailure] = useState<Failure>();
  const navigate = useNavigate();
  const { session } = useServices();
  const isOpening = useRef(false);

  const open = async (ownerSecret: string) => {
    if (isOpening.current) return;
    isOpening.current = true;
    setFailure(undefined);
    try {
      const { email } = await session.signInWith("auth.openSession", { owner_secret: ownerSecret });
      const isAsked = email === null && !readPreference("withoutAccount");
      await navigate({ to: isAsked ? "/sign-up" : "/", replace: true });
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      isOpening.current = false;
    }
  };
  const openFirst = useEffectEvent(open);
  useEffect(() => {
    if (secret !== undefined) void openFirst(secret);
  }, [secret]);

  const toNewChat = { label: t("failure.newChat"), run: () => void navigate({ to: "/", replace: true }) };
  if (secret === undefined || failure !== undefined) {
    const toSignIn = {
      label: t("account.signIn"),
      run: () => void navigate({ to: "/sign-in", replace: true }),
    };
    const retry =
      secret !== undefined && failure?.retry === true
        ? { label: t("action.retry"), run: () => void open(secret) }
        : undefined;
    return (
      <NoticePage>
        <Notice
          level="h1"
          tone="danger"
          title={t("owner.failed")}
          text={failure?.message ?? t("owner.missing")}
          action={failure?.code === "owner-has-account" ? toSignIn : (retry ?? toNewChat)}
        />
      </NoticePage>
    );
  }
  return (
    <NoticePage>
      <p role="status" className={styles["opening"]}>
        <RunningIndicator /> {t("owner.opening")}
      </p>
    </NoticePage>
  );
}
