import { createServer } from 'node:net';

const listenOnce = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });

/** A port of 127.0.0.1 that was free a moment ago; another program may still take it before its user does. */
export const freePort = (): Promise<number> => listenOnce(0);

/** Whether some program listens on that port of 127.0.0.1 now. */
export const isPortTaken = (port: number): Promise<boolean> =>
  listenOnce(port).then(
    () => false,
    () => true,
  );
