import { useState } from "react";
import Link2 from "lucide-react/icons/link-2";
import Mail from "lucide-react/icons/mail";
import Trash from "lucide-react/icons/trash-2";
import type { PreparedPerson } from "#contract/prepared-people/endpoints.ts";
import { usePreparedPeople } from "#web/data/admin/people.ts";
import { useSignInOptions } from "#web/data/session/sign-in-options.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { currentLanguageTag } from "#web/i18n/load-language.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import { LinkDialog } from "../../link-dialog.tsx";
import { asName, Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./people-import.module.css";

/** People whose chats wait for them, with their invitations. */
export function WaitingPeople() {
  const list = usePreparedPeople();
  const mails = useSignInOptions()?.mails === true;
  const [link, setLink] = useState<{ name: string; link: string; isNotMailed: boolean }>();
  const { confirm, dialog } = useConfirmation();
  const { people } = list;

  async function invite(person: PreparedPerson, send: boolean): Promise<void> {
    const body = { send, language: currentLanguageTag() };
    const { link: created, is_mailed: isMailed } = await list.invite(person.id, body);
    if (isMailed) showToast(t("peopleImport.sent", { address: person.email }));
    else if (created !== null) setLink({ name: nameOf(person), link: created, isNotMailed: send });
  }

  const remove = (person: PreparedPerson) =>
    confirm({
      text: t("peopleImport.removeAsk", { name: nameOf(person) }),
      label: t("peopleImport.remove"),
      async run() {
        await list.remove(person.id);
        return t("peopleImport.removed", { name: nameOf(person) });
      },
    });

  return (
    <section aria-labelledby="waiting-people">
      <h2 id="waiting-people" className={screenStyles["heading"]}>
        {t("peopleImport.waiting")}
      </h2>
      {people.length > 0 && <p className={screenStyles["about"]}>{t("peopleImport.waitingAbout")}</p>}
      {mails && <SendAll list={list} />}
      <Rows
        list={list}
        rows={people}
        loadingLabel={t("peopleImport.waitingLoading")}
        failedTitle={t("peopleImport.waitingFailed")}
        empty={[t("peopleImport.waitingEmpty")]}
      >
        {(person) => (
          <Row name={nameOf(person)} facts={factsOf(person)}>
            <MenuButton
              label={t("peopleImport.actions", { name: nameOf(person) })}
              tip={t("message.actions")}
              items={() => [
                ...(mails && person.email !== ""
                  ? [
                      {
                        label: t("peopleImport.send"),
                        icon: Mail,
                        onSelect: () => void invite(person, true).catch(showFailure),
                      },
                    ]
                  : []),
                {
                  label: t("peopleImport.newLink"),
                  icon: Link2,
                  onSelect: () => void invite(person, false).catch(showFailure),
                },
                {
                  label: t("peopleImport.remove"),
                  icon: Trash,
                  tone: "danger",
                  onSelect: () => remove(person),
                },
              ]}
            />
          </Row>
        )}
      </Rows>
      {dialog}
      {link !== undefined && (
        <LinkDialog
          title={t("peopleImport.link")}
          about={t(link.isNotMailed ? "peopleImport.linkNotMailed" : "peopleImport.linkWhat", {
            name: link.name,
          })}
          link={link.link}
          onClose={() => setLink(undefined)}
        />
      )}
    </section>
  );
}

/** Sends the invitations of those on the list who have got none by e-mail, one after the other. */
function SendAll({ list }: { list: ReturnType<typeof usePreparedPeople> }) {
  const [progress, setProgress] = useState<{ sent: number; all: number }>();
  const waiting = list.people.filter(
    ({ email, mailed_at: mailedAt, invitation_expires_at: expiresAt }) =>
      email !== "" && (mailedAt === null || expiresAt === null),
  );
  if (waiting.length === 0 && progress === undefined) return null;

  async function sendAll(): Promise<void> {
    let sent = 0;
    try {
      for (const [index, { id }] of waiting.entries()) {
        setProgress({ sent: index, all: waiting.length });
        const { is_mailed: isMailed } = await list.invite(id, { send: true, language: currentLanguageTag() });
        if (isMailed) sent++;
      }
    } catch (error) {
      showFailure(error);
    } finally {
      setProgress(undefined);
    }
    const notSent = waiting.length - sent;
    showToast(
      notSent > 0
        ? t("peopleImport.notSent", { count: notSent })
        : t("peopleImport.sentAll", { count: sent }),
    );
  }

  return (
    <div className={styles["sendAll"]}>
      {progress === undefined ? (
        <Button icon={Mail} onClick={() => void sendAll()}>
          {t("peopleImport.sendAll", { count: waiting.length })}
        </Button>
      ) : (
        <p role="status" className="text-3 ink-soft figures">
          {t("peopleImport.sendingAll", progress)}
        </p>
      )}
    </div>
  );
}

function factsOf({ email, threads, mailed_at: mailedAt, invitation_expires_at: expiresAt }: PreparedPerson) {
  const invitation =
    expiresAt === null
      ? t("peopleImport.notInvited")
      : mailedAt === null
        ? t("peopleImport.invitedUntil", { day: printDay(new Date(expiresAt)) })
        : t("peopleImport.mailed", { day: printDay(new Date(mailedAt)) });
  return [email !== "" && asName(email), t("peopleImport.chats", { count: threads }), invitation];
}

function nameOf({ name, email }: PreparedPerson): string {
  return name || email;
}
