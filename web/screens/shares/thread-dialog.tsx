import { useState } from "react";
import { useCan, useSession } from "#web/data/session/session.ts";
import { useShares } from "#web/data/shares/shares.ts";
import { Button } from "#web/ui/button.tsx";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { closeThreadDialog, type OpenThreadDialog } from "#web/ui/open-thread-dialog.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import dialogStyles from "../dialog.module.css";
import screenStyles from "../screen.module.css";
import { ListContent } from "../list-content.tsx";
import { SortDialog } from "../threads/sort-dialog.tsx";
import { PeopleInThread, ThreadPeople } from "./thread-people.tsx";
import { shareBodyOf, ShareFields, useShareForm } from "./share-fields.tsx";
import { ShareRows } from "./share-rows.tsx";
import styles from "./shares.module.css";

export function ThreadDialog({ dialog }: { dialog: OpenThreadDialog }) {
  return dialog.kind === "sort" ? <SortDialog threads={dialog.threads} /> : <ShareDialog {...dialog} />;
}

/** Shares a thread with people of this server, or by a link, and shows its members and links. */
function ShareDialog({ threadId, isOfOthers }: { threadId: string; isOfOthers: boolean }) {
  const label = t(isOfOthers ? "share.peopleIn" : "share.title");
  return (
    <Dialog label={label} className={styles["dialog"]} onClose={closeThreadDialog}>
      <h2 className={dialogStyles["title"]}>{label}</h2>
      {isOfOthers ? <PeopleInThread threadId={threadId} /> : <Ways threadId={threadId} />}
      <div className={dialogStyles["foot"]}>
        <Button onClick={closeThreadDialog}>{t("action.close")}</Button>
      </div>
    </Dialog>
  );
}

/** The ways to share that the person may use. */
function Ways({ threadId }: { threadId: string }) {
  const { me } = useSession();
  const hasPeople = useCan("threads.invite") === true && me?.email !== null;
  const hasLinks = useCan("threads.share") === true;
  const [isByLink, setByLink] = useState(!hasPeople);
  return (
    <>
      {hasPeople && hasLinks && (
        <div role="group" aria-label={t("share.tabs")} className={styles["ways"]}>
          {[false, true].map((byLink) => (
            <button
              key={String(byLink)}
              type="button"
              aria-pressed={isByLink === byLink}
              onClick={() => setByLink(byLink)}
            >
              {t(byLink ? "share.link" : "share.people")}
            </button>
          ))}
        </div>
      )}
      {isByLink ? <Links threadId={threadId} /> : <ThreadPeople threadId={threadId} />}
    </>
  );
}

function Links({ threadId }: { threadId: string }) {
  const list = useShares(threadId);
  const [newId, setNewId] = useState<string>();
  return (
    <>
      <p className={screenStyles["about"]}>{t("share.about")}</p>
      <NewLink threadId={threadId} onCreate={async (body) => setNewId((await list.create(body)).id)} />
      <h3 className={screenStyles["heading"]}>{t("share.links")}</h3>
      <ListContent
        list={list}
        isEmpty={list.shares.length === 0}
        loadingLabel={t("share.loading")}
        failedTitle={t("share.failed")}
        empty={[t("share.noneOfChat")]}
      >
        <ShareRows list={list} newId={newId} />
      </ListContent>
    </>
  );
}

function NewLink({
  threadId,
  onCreate,
}: {
  threadId: string;
  onCreate(body: Parameters<ReturnType<typeof useShares>["create"]>[0]): Promise<void>;
}) {
  const form = useShareForm(undefined, async (values) => {
    await onCreate({ thread_id: threadId, is_live: values.isLive, ...shareBodyOf(values) });
    showToast(t("share.created"));
    return undefined;
  });
  const { isLive } = form.values;
  return (
    <form
      ref={form.element}
      noValidate
      className={styles["form"]}
      onSubmit={(event) => void form.save(event)}
    >
      <RadioGroup
        legend={t("share.kind")}
        value={isLive ? "live" : "snapshot"}
        onChange={(kind) => form.change({ isLive: kind === "live" })}
        options={(["snapshot", "live"] as const).map((value) => ({
          value,
          label: t(`share.${value}`),
          hint: t(`share.${value}Hint`),
        }))}
      />
      <ShareFields form={form} />
      <Button type="submit" look="strong" disabled={form.isSaving}>
        {t("share.create")}
      </Button>
    </form>
  );
}
