import { useEffect, useRef, useState } from "react";
import type { ResponseOf } from "#contract/api.ts";
import type { ToolServer } from "#contract/tool-servers/endpoints.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { showFailure, showOutcome, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { asCode, Mark, Row, RowButtons } from "../row.tsx";
import { Rows } from "../rows.tsx";
import screenStyles from "../screen.module.css";
import { knownServers, type KnownServer } from "./known-servers.ts";
import { TestResult } from "./test-result.tsx";
import { ToolServerForm } from "./tool-server-form.tsx";
import styles from "./tool-servers.module.css";
import { useToolServers, type ToolServerList } from "./use-tool-servers.ts";

/** The tool servers that the person can use and their own, or those of everybody and of groups. */
export function ToolServersSection({ isShared }: { isShared: boolean }) {
  return (
    <section aria-labelledby="tool-servers">
      <h2 id="tool-servers" className={screenStyles["heading"]}>
        {t("toolServers.heading")}
      </h2>
      <ToolServers isShared={isShared} />
    </section>
  );
}

type Editing = { stored: ToolServer } | { known: KnownServer | undefined };

function ToolServers({ isShared }: { isShared: boolean }) {
  const list = useToolServers();
  const [editing, setEditing] = useState<Editing>();
  useFinishedSignIn(list);
  const rows = isShared ? list.servers.filter((server) => server.is_shared) : list.servers;
  const mayAdd = isShared ? list.mayShare : list.mayAdd;
  if (editing !== undefined) {
    const stored = "stored" in editing ? editing.stored : undefined;
    const known = "known" in editing ? editing.known : undefined;
    const entrance = known?.entrance === "key" || known?.entrance === "client" ? known.entrance : "none";
    return (
      <ToolServerForm
        stored={stored}
        first={known && { name: known.name, url: known.url, entrance }}
        isShared={isShared}
        onSave={async (body) => {
          if (stored === undefined) await list.create({ ...body, ...(isShared ? { is_shared: true } : {}) });
          else await list.change(stored.id, body);
          return () => setEditing(undefined);
        }}
        onCancel={() => setEditing(undefined)}
      />
    );
  }
  return (
    <>
      <p className={screenStyles["about"]}>{t(isShared ? "toolServers.aboutShared" : "toolServers.about")}</p>
      <Rows
        list={list}
        rows={rows}
        loadingLabel={t("toolServers.loading")}
        failedTitle={t("toolServers.failed")}
        empty={[t("toolServers.empty"), ...(mayAdd ? [] : [t("toolServers.emptyHint")])]}
      >
        {(server) => (
          <ServerRow
            server={server}
            list={list}
            isShared={isShared}
            onEdit={() => setEditing({ stored: server })}
          />
        )}
      </Rows>
      {mayAdd && (
        <>
          <h3 className={styles["add"]}>{t("toolServers.add")}</h3>
          <ul className={styles["known"]}>
            <li>
              <Button onClick={() => setEditing({ known: undefined })}>{t("toolServers.other")}</Button>
            </li>
            {knownServers
              .filter(({ url }) => !rows.some((server) => server.url === url))
              .map((known) => (
                <li key={known.url}>
                  <Button onClick={() => setEditing({ known })}>
                    <bdi>{known.name}</bdi>
                  </Button>
                </li>
              ))}
          </ul>
        </>
      )}
    </>
  );
}

/** After the sign-in page has sent the browser back here: finishes the sign-in. */
function useFinishedSignIn(list: ToolServerList): void {
  const hasBegun = useRef(false);
  useEffect(() => {
    const { search } = location;
    // React runs effects twice in development.
    if (hasBegun.current || !new URLSearchParams(search).has("state")) return;
    hasBegun.current = true;
    // Not left in the address bar and the history.
    history.replaceState(history.state, "", location.pathname);
    void list
      .finishSignIn(search)
      .then((name) => showToast(t("toolServers.signedIn", { name })), showFailure);
  }, [list]);
}

function ServerRow({
  server,
  list,
  isShared,
  onEdit,
}: {
  server: ToolServer;
  list: ToolServerList;
  isShared: boolean;
  onEdit(): void;
}) {
  const [test, setTest] = useState<ResponseOf<"toolServers.test">>();
  const [isTesting, setTesting] = useState(false);
  const [leaving, setLeaving] = useState<{ host: string; leave(): void }>();
  const { confirm, dialog } = useConfirmation();
  const { id, name, url, sign_in: signIn, is_on: isOn, tools } = server;
  const mayChange = server.may_change && server.is_shared === isShared;

  async function run(): Promise<void> {
    setTesting(true);
    setTest(undefined);
    await list.test(id).then(setTest, showFailure);
    setTesting(false);
  }
  async function beginSignIn(): Promise<void> {
    await list.startSignIn(id).then(setLeaving, showFailure);
  }

  return (
    <>
      <Row
        className={styles["server"]}
        name={name}
        mark={<ServerMark server={server} />}
        facts={[
          url === null ? t("toolServers.ofOperator") : asCode(new URL(url).host),
          tools !== null && t("toolServers.count", { count: tools }),
          !isShared && server.is_shared && t("toolServers.shared"),
          isShared &&
            server.group_ids !== null &&
            t("toolServers.groups", { count: server.group_ids.length }),
        ]}
      >
        <RowButtons>
          {isOn && signIn === "needed" && (
            <Button look="strong" onClick={() => void beginSignIn()}>
              {t("toolServers.signIn")}
            </Button>
          )}
          {signIn === "done" && (
            <Button onClick={() => showOutcome(list.signOut(id), t("toolServers.signedOut", { name }))}>
              {t("toolServers.signOut")}
            </Button>
          )}
          {isOn && (
            <Button disabled={isTesting} onClick={() => void run()}>
              {t(isTesting ? "toolServers.testing" : "toolServers.test")}
            </Button>
          )}
          {mayChange && (
            <>
              <Button
                onClick={() =>
                  showOutcome(
                    list.change(id, { is_on: !isOn }),
                    t(isOn ? "toolServers.turnedOff" : "toolServers.turnedOn", { name }),
                  )
                }
              >
                {t(isOn ? "toolServers.turnOff" : "toolServers.turnOn")}
              </Button>
              <Button onClick={onEdit}>{t("action.edit")}</Button>
              <Button
                onClick={() =>
                  confirm({
                    text: t("toolServers.removeAsk", { name }),
                    label: t("toolServers.remove"),
                    run: async () => {
                      await list.remove(id);
                      return undefined;
                    },
                  })
                }
              >
                {t("toolServers.remove")}
              </Button>
            </>
          )}
        </RowButtons>
      </Row>
      {test !== undefined && (
        <li className={styles["result"]} role="status">
          <TestResult test={test} />
        </li>
      )}
      {dialog}
      {leaving !== undefined && (
        <Dialog
          label={t("toolServers.signIn")}
          className={styles["leave"]}
          onClose={() => setLeaving(undefined)}
        >
          <p>{t("toolServers.signInAsk", { name, host: leaving.host })}</p>
          <RowButtons>
            {/* Enter must not leave by accident. */}
            <Button autoFocus onClick={() => setLeaving(undefined)}>
              {t("action.cancel")}
            </Button>
            <Button look="strong" onClick={leaving.leave}>
              {t("toolServers.signIn")}
            </Button>
          </RowButtons>
        </Dialog>
      )}
    </>
  );
}

function ServerMark({
  server: { is_on: isOn, lacks_secret: lacksSecret, sign_in: signIn },
}: {
  server: ToolServer;
}) {
  if (!isOn) return <Mark>{t("toolServers.off")}</Mark>;
  if (lacksSecret) return <Mark tone="danger">{t("toolServers.lacksSecret")}</Mark>;
  return signIn === "needed" ? <Mark>{t("toolServers.signInNeeded")}</Mark> : null;
}
