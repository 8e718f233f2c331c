import { useEffect, useRef, useState } from "react";
import type { Share } from "#contract/endpoints/shares.ts";
import type { useShares } from "#web/data/shares/shares.ts";
import { titleOf } from "#web/sidebar/row-actions.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { useCopied } from "#web/ui/copy/use-copied.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import dialogStyles from "../dialog.module.css";
import { List } from "../list.tsx";
import { Row, RowButtons } from "../row.tsx";
import { shareBodyOf, ShareFields, useShareForm } from "./share-fields.tsx";
import styles from "./shares.module.css";

type Shares = ReturnType<typeof useShares>;

/**
 * Links with what they show and how often they were opened. `hasTitles`: of several threads. `newId`: the link that was
 * just created, which is to be copied next.
 */
export function ShareRows({
  list,
  hasTitles = false,
  newId,
}: {
  list: Shares;
  hasTitles?: boolean;
  newId?: string | undefined;
}) {
  const { confirm, dialog } = useConfirmation();
  const [changed, setChanged] = useState<Share>();
  return (
    <>
      <List after={createButton}>
        {list.shares.map((share) => (
          <ShareRow
            key={share.id}
            share={share}
            hasTitle={hasTitles}
            isNew={share.id === newId}
            onChange={() => setChanged(share)}
            onRevoke={() =>
              confirm({
                text: t("share.revokeAsk"),
                label: t("share.revoke"),
                run: async () => {
                  await list.revoke(share.id);
                  return t("share.revoked");
                },
              })
            }
          />
        ))}
      </List>
      {changed !== undefined && (
        <ChangeDialog share={changed} onSave={list.update} onClose={() => setChanged(undefined)} />
      )}
      {dialog}
    </>
  );
}

const createButton = (list: HTMLElement) =>
  list.closest("dialog")?.querySelector<HTMLElement>("[type=submit]");

function ShareRow({
  share,
  hasTitle,
  isNew,
  onChange,
  onRevoke,
}: {
  share: Share;
  hasTitle: boolean;
  isNew: boolean;
  onChange(): void;
  onRevoke(): void;
}) {
  const { isCopied, copy } = useCopied();
  const copyButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isNew) copyButton.current?.focus();
  }, [isNew]);
  const { url } = share;
  const title = titleOf(share);
  const kind = t(share.is_live ? "share.kindLive" : "share.kindSnapshot");
  return (
    <Row
      className={styles["row"]}
      name={hasTitle ? title : kind}
      facts={[...(hasTitle ? [kind] : []), ...factsOf(share)]}
    >
      <RowButtons>
        {url !== null && (
          <Button ref={copyButton} aria-label={t("share.copyNamed", { title })} onClick={() => copy(url)}>
            {t(isCopied ? "action.copied" : "share.copy")}
          </Button>
        )}
        <Button aria-label={t("share.changeNamed", { title })} onClick={onChange}>
          {t("share.change")}
        </Button>
        <Button aria-label={t("share.revokeNamed", { title })} onClick={onRevoke}>
          {t("share.revoke")}
        </Button>
      </RowButtons>
    </Row>
  );
}

function factsOf(share: Share): (string | false)[] {
  const day = (instant: string) => ({ day: printDay(new Date(instant)) });
  const { expires_at: expiresAt } = share;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) < Date.now();
  return [
    share.url === null && t("share.facts.broken"),
    t("share.facts.views", { count: share.views }),
    share.all_branches && t("share.facts.branches"),
    share.with_files && t("share.facts.files"),
    share.audience === "members" && t("share.facts.members"),
    share.has_password && t("share.facts.password"),
    t("share.facts.created", day(share.created_at)),
    expiresAt !== null && t(isExpired ? "share.facts.expired" : "share.facts.expires", day(expiresAt)),
  ];
}

function ChangeDialog({
  share,
  onSave,
  onClose,
}: {
  share: Share;
  onSave: Shares["update"];
  onClose(): void;
}) {
  const form = useShareForm(share, async (values) => {
    await onSave(share.id, shareBodyOf(values, share));
    showToast(t("share.changed"));
    return onClose;
  });
  return (
    <Dialog label={t("share.changeTitle")} className={styles["dialog"]} onClose={onClose}>
      <h2 className={dialogStyles["title"]}>{t("share.changeTitle")}</h2>
      <form
        ref={form.element}
        noValidate
        className={styles["form"]}
        onSubmit={(event) => void form.save(event)}
      >
        <ShareFields share={share} form={form} />
        <div className={dialogStyles["foot"]}>
          <Button onClick={onClose}>{t("action.cancel")}</Button>
          <Button type="submit" look="strong" disabled={form.isSaving}>
            {t("share.save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
