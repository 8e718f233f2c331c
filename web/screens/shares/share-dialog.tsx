import { type FormEvent, useState } from "react";
import { useShares } from "#web/data/shares/shares.ts";
import { Button } from "#web/ui/button.tsx";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { closeShareDialog } from "#web/ui/shared-thread.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import adminStyles from "../admin/admin.module.css";
import { ListContent } from "../list-content.tsx";
import { useShareFields } from "./share-fields.tsx";
import { ShareRows } from "./share-rows.tsx";
import styles from "./shares.module.css";

/** Creates a link to a thread, and shows those that it has. */
export function ShareDialog({ thread }: { thread: { id: string; title: string } }) {
  const list = useShares(thread.id);
  return (
    <Dialog label={t("share.title")} className={styles["dialog"]} onClose={closeShareDialog}>
      <h2 className={adminStyles["dialogTitle"]}>{t("share.title")}</h2>
      <p className={adminStyles["about"]}>{t("share.about")}</p>
      <NewLink threadId={thread.id} onCreate={list.create} />
      <h3 className={adminStyles["heading"]}>{t("share.links")}</h3>
      <ListContent
        list={list}
        isEmpty={list.shares.length === 0}
        loadingLabel={t("share.loading")}
        failedTitle={t("share.failed")}
        empty={[t("share.noneOfChat")]}
      >
        <ShareRows list={list} />
      </ListContent>
      <div className={adminStyles["dialogFoot"]}>
        <Button onClick={closeShareDialog}>{t("action.close")}</Button>
      </div>
    </Dialog>
  );
}

function NewLink({
  threadId,
  onCreate,
}: {
  threadId: string;
  onCreate: ReturnType<typeof useShares>["create"];
}) {
  const [isLive, setLive] = useState(false);
  const [isSending, setSending] = useState(false);
  const { fields, choice } = useShareFields();

  async function create(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    try {
      await onCreate({ thread_id: threadId, is_live: isLive, ...choice() });
      showToast(t("share.created"));
    } catch (error) {
      showFailure(error);
    } finally {
      setSending(false);
    }
  }

  return (
    <form className={styles["form"]} onSubmit={(event) => void create(event)}>
      <RadioGroup
        legend={t("share.kind")}
        value={isLive ? "live" : "snapshot"}
        onChange={(kind) => setLive(kind === "live")}
        options={(["snapshot", "live"] as const).map((value) => ({
          value,
          label: t(`share.${value}`),
          hint: t(`share.${value}Hint`),
        }))}
      />
      {fields}
      <Button type="submit" look="strong" disabled={isSending}>
        {t("share.create")}
      </Button>
    </form>
  );
}
