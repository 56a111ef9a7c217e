import { describeStoreContract } from '../../libs/gatehouse/src/testing/contracts/index.js';
import { openDatabase } from './opened.database.js';

describeStoreContract('postgres', () => openDatabase());
