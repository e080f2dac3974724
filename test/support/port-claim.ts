// The claim of a port (src/ports.ts) as somebody else sees it.
import { createSocket, type Socket } from 'node:dgram';

/** Takes the claim of a port as another process would; undefined where it is taken. */
export const holdPort = async (port: number): Promise<Socket | undefined> =>
  await new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, () => resolve(socket));
  });
