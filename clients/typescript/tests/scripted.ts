// A server that gives answers in turn, one a connection, and keeps what it was asked.
import { createServer, type AddressInfo, type Socket } from "node:net";

/** An answer's bytes, or what to do with the connection instead. */
export type Step = string | ((socket: Socket) => void);

export interface Scripted extends AsyncDisposable {
  url: string;
  /** Each request as text: head, empty line, body. */
  asked: string[];
}

/** A whole HTTP answer. */
export function answer(body: unknown, status = 200, headers: Record<string, string> = {}): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const lines = [`HTTP/1.1 ${status} x`, `Content-Length: ${Buffer.byteLength(text)}`, "Connection: close"];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

export async function scripted(...script: Step[]): Promise<Scripted> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined); // the client had enough
    socket.on("close", () => open.delete(socket));
    let got = "";
    socket.on("data", (part) => {
      got += part.toString();
      const [head = "", body] = got.split("\r\n\r\n");
      const length = Number(head.match(/content-length: *(\d+)/i)?.[1] ?? 0);
      if (body === undefined || Buffer.byteLength(body) < length) return;
      asked.push(got);
      got = "";
      const step = script[asked.length - 1] ?? "";
      if (typeof step === "string") socket.end(step);
      else step(socket);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
